package memory

import (
	"strings"
	"unicode/utf8"

	"agentflow/internal/invisible"
	"agentflow/internal/words"
)

// maxTitle is how many runes of a task make a title, the ellipsis included.
const maxTitle = 80

// Title is the first line of a task that says something, on one line and cut
// to 80 runes. A heading says more than a line before it that ends with a colon, such
// as "Implement the following plan:".
func Title(task string) string {
	title := ""
	for line := range strings.SplitSeq(task, "\n") {
		line = strings.Join(strings.Fields(Clean(line)), " ")
		switch heading := strings.TrimLeft(line, "# "); {
		case line == "":
			continue
		case title == "":
			title = line
		case line[0] == '#' && heading != "":
			title = heading
		}
		if title != line || !strings.HasSuffix(line, ":") {
			break
		}
	}
	if utf8.RuneCountInString(title) <= maxTitle {
		return title
	}
	return strings.TrimRight(string([]rune(title)[:maxTitle-1]), " ") + "…"
}

// maxThen bounds the later prompts of an entry, and maxThenRunes each of them.
const (
	maxThen      = 20
	maxThenRunes = 200
)

// LaterPrompts are the prompts of a session after its first, as an entry holds
// them: each on one line and cut to 200 runes, empty ones left out, at most the
// first 20.
func LaterPrompts(prompts []string) []string {
	var list []string
	for _, p := range prompts {
		if p = Head(strings.Join(strings.Fields(Clean(p)), " "), maxThenRunes); p != "" && len(list) < maxThen {
			list = append(list, p)
		}
	}
	return list
}

// Head keeps the beginning of text, at most limit runes, cut at a word with …
// in the place of what is missing. Space around it goes.
func Head(text string, limit int) string {
	text = strings.TrimSpace(text)
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	cut := string([]rune(text)[:limit-1])
	if at := strings.LastIndexAny(cut, " \n\t"); at > len(cut)/2 {
		cut = cut[:at]
	}
	return strings.TrimRight(cut, " \n\t") + "…"
}

// Clean makes text safe to show and to put in a prompt: terminal escape
// sequences, control characters other than newline and tab, and characters
// that reorder or hide text are taken out; bytes that are not UTF-8 become
// U+FFFD. Clean(Clean(s)) is Clean(s).
func Clean(s string) string {
	if clean(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if n := invisible.Escape(s[i:]); n > 0 {
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if !invisible.Rune(r) {
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

func clean(s string) bool {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if invisible.Rune(r) || r == utf8.RuneError && n == 1 {
			return false
		}
		i += n
	}
	return true
}

// Tokens is the one estimate of how many tokens a text is to a language
// model: a token for four runes, or for one and a half of Chinese, Japanese
// and Korean.
func Tokens(s string) int {
	n := 0
	for _, r := range s {
		n += TokenTwelfths(r)
	}
	return (n + 11) / 12
}

// TokenTwelfths is how many twelfths of a token a rune is to Tokens.
func TokenTwelfths(r rune) int {
	if isCJK(r) {
		return 8
	}
	return 3
}

func isCJK(r rune) bool {
	if r < 0x1100 { // nearly all text
		return false
	}
	return r <= 0x11FF || 0x2E80 <= r && r <= 0x9FFF || 0xA960 <= r && r <= 0xA97F ||
		0xAC00 <= r && r <= 0xD7FF || 0xF900 <= r && r <= 0xFAFF || 0xFF00 <= r && r <= 0xFFEF ||
		0x1F200 <= r && r <= 0x1F2FF || 0x20000 <= r && r <= 0x3FFFF
}

// Same gives one result for texts of facts that say the same by the rules of
// consolidation. It joins more than words.SameText, of which tombstones are made,
// and may change with those rules.
func Same(text string) string { return words.Normal(Clean(text)) }

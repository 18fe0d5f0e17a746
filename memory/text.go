package memory

import (
	"strings"
	"unicode/utf8"

	"agentflow/internal/invisible"
	"agentflow/internal/words"
)

// maxTitle is the maximum number of runes of a title, including the ellipsis.
const maxTitle = 80

// Title returns the first meaningful line of a task, on one line and cut at a word to at most 80
// runes. It prefers a heading to a line before it that ends with a colon, such as "Implement the
// following plan:".
func Title(task string) string { return Head(titleLine(task), maxTitle) }

// SameTitle reports whether two titles are of one text, though an older program cut one of them
// within a word.
func SameTitle(a, b string) bool {
	long, isCut := strings.CutSuffix(a, "…")
	short, areCut := strings.CutSuffix(b, "…")
	if len(long) < len(short) {
		long, short = short, long
	}
	rest, begins := strings.CutPrefix(long, short)
	return a == b || isCut && areCut && begins && strings.LastIndexByte(rest, ' ') <= 0
}

func titleLine(task string) string {
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
	return title
}

// maxThen bounds the number of later prompts of an entry, and maxThenRunes the length of each.
const (
	maxThen      = 20
	maxThenRunes = 200
)

// LaterPrompts returns the prompts of a session after its first, as an entry holds them: each on
// one line and cut to 200 runes, without empty ones, at most the first 20.
func LaterPrompts(prompts []string) []string {
	var list []string
	for _, p := range prompts {
		if p = Head(strings.Join(strings.Fields(Clean(p)), " "), maxThenRunes); p != "" && len(list) < maxThen {
			list = append(list, p)
		}
	}
	return list
}

// Head returns the beginning of text, without white space around it. If it is longer than limit
// runes, it is cut at a word, and … takes the place of the rest.
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

// Clean makes text safe to show and to put in a prompt. It removes terminal escape sequences,
// control characters other than newline and tab, and characters that reorder or hide text. Bytes
// that are not UTF-8 become U+FFFD. Clean(Clean(s)) is Clean(s).
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

// Tokens estimates how many tokens a language model makes of a text. All packages use this one
// estimate: a token for four runes, or for one and a half of Chinese, Japanese and Korean.
func Tokens(s string) int {
	n := 0
	for _, r := range s {
		n += TokenTwelfths(r)
	}
	return (n + 11) / 12
}

// TokenTwelfths returns how many twelfths of a token Tokens counts for a rune.
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

// Same returns the same result for texts of facts that say the same by the rules of consolidation.
// It joins more texts than words.SameText, from which tombstones are made, and may change with
// those rules.
func Same(text string) string { return words.Normal(Clean(text)) }

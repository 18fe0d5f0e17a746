package prompt

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"agentflow/memory/quote"
	"agentflow/memory/trailer"
)

// A link in Markdown, the mark of a list's item, and the pull request at the end of a title.
var (
	link     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[([^\]\n]+)\]\([^)\s]+\)`) })
	listItem = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([-*+•]|\d+[.)])\s+`) })
	pullMark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\s+\(#\d+\)$`) })
)

// prose returns a text on one line: without code, the lines that give no reason, and the
// marks of lists, links and quotations.
func prose(text string) string {
	var b strings.Builder
	var code fence
	apart := ""
	for _, l := range quote.Lines(text) {
		if code.holds(l) {
			continue
		}
		l = strings.TrimLeft(strings.TrimSpace(l), "> ")
		item := listItem().FindString(l)
		l = strings.TrimPrefix(l, item)
		switch {
		case l == "updated-dependencies:": // a bot's list for machines follows
			return b.String()
		case l == "" || rule(l):
			apart = "."
			continue
		case saysNoReason(l):
			continue
		case item != "" && apart == "":
			apart = ";"
		}
		join(&b, apart)
		b.WriteString(strings.Join(strings.Fields(link().ReplaceAllString(l, "$1")), " "))
		apart = ""
	}
	return b.String()
}

// saysNoReason reports whether a line only refers: to people, issues or pages.
func saysNoReason(line string) bool {
	return trailer.Is(line) || link().ReplaceAllString(line, "") == ""
}

// join ends the text so far before another paragraph or item of a list, and separates it.
func join(b *strings.Builder, end string) {
	if b.Len() == 0 {
		return
	}
	if s := b.String(); end != "" && !strings.ContainsRune(".:;!?…", rune(s[len(s)-1])) {
		b.WriteString(end)
	}
	b.WriteByte(' ')
}

// sentencesOf splits prose after each full stop, question mark and exclamation mark that
// ends more than an abbreviation.
func sentencesOf(text string) (list []string) {
	start := 0
	for i := range len(text) - 1 {
		if strings.IndexByte(".!?", text[i]) >= 0 && text[i+1] == ' ' && !abbreviated(text[start:i]) {
			list = append(list, strings.TrimSpace(text[start:i+1]))
			start = i + 1
		}
	}
	if rest := strings.TrimSpace(text[start:]); rest != "" {
		list = append(list, rest)
	}
	return list
}

// abbreviated reports whether a text before a full stop ends with an abbreviation.
func abbreviated(text string) bool {
	word := strings.ToLower(strings.TrimLeft(text[strings.LastIndexByte(text, ' ')+1:], "([\"'"))
	return slices.Contains([]string{"e.g", "i.e", "z.b", "d.h", "vs", "cf", "resp", "approx", "bzw"}, word)
}

// adds counts the words of a sentence that are not among these.
func adds(sentence string, said map[string]bool) (n int) {
	for w := range saidBy(sentence) {
		if !said[w] {
			n++
		}
	}
	return n
}

// saidBy returns the words of a text, folded, without the endings s and d.
func saidBy(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return strings.ContainsRune(" \t,.;:!?()[]{}\"'`/", r) }) {
		switch {
		case strings.HasPrefix(w, "#"):
			continue // of an issue
		case len(w) > 2:
			w = strings.TrimRight(w, "sde")
		}
		set[w] = true
	}
	return set
}

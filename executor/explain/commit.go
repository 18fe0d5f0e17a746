package explain

import (
	"slices"
	"strings"
)

// Bodies are the bodies of commit messages as messages, without trailers and what only
// points elsewhere.
func Bodies(list []string) (messages []Message) {
	for _, text := range list {
		var lines []string
		for line := range strings.Lines(text) {
			if !isMatch(trailer, strings.TrimSpace(line)) {
				lines = append(lines, line)
			}
		}
		messages = append(messages, Message{Text: strings.Join(lines, ""), Turn: -1, Commit: true})
	}
	return messages
}

// maxCommits bounds what commit messages say in a summary, in words.
const maxCommits = 80

// commits picks what commit messages say, of each commit a like part, and reports whether
// that explains the change.
func (p *picker) commits() bool {
	n := 0
	for _, s := range p.said {
		if s.commit && s.first {
			n++
		}
	}
	for i, from := 0, 0; i < len(p.said) && p.said[i].commit; i++ {
		if p.said[i].first {
			from = MaxWords - p.room
		}
		if !isMatch(addsTests, p.said[i].text) {
			p.take(i, from+maxCommits/n)
		}
	}
	return Explains(p.text())
}

// committed is all that commit messages say.
func (list sentences) committed() string {
	var parts []string
	for _, s := range list {
		if s.commit {
			parts = append(parts, s.text)
		}
	}
	return strings.Join(parts, " ")
}

// isNews reports whether a sentence names something that commit messages say nothing of.
func (list sentences) isNews(i int) bool {
	return i >= 0 && list[i].what && list[i].names && !covers(list.committed(), list[i].text, 4)
}

// covers reports whether one of so many longer words of a sentence is in a text.
func covers(text, sentence string, of int) bool {
	has, words := longWords(text), longWords(sentence)
	n := 0
	for _, w := range words {
		n += points(slices.Contains(has, w), 1)
	}
	return len(has) > 0 && n*of >= len(words)
}

var addsTests = lazy(`(?i)^(adds?|updates?|includes?|tests?)\b.{0,40}\btests?\b`)

var trailer = lazy(`^([A-Z][A-Za-z]*-[A-Za-z-]+: \S|.{0,4}Generated with |(Address(es)?|Fix(es)?|Close[sd]?|Refs?|See|Resolves)\b.{0,40}#\d+\b.{0,40}$|\(cherry picked from )`)

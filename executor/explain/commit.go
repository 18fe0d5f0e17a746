package explain

import (
	"cmp"
	"slices"
	"strings"
)

// Commits returns the subjects of commits and the bodies of their messages as messages, the
// longest body first, without trailers.
func Commits(subjects, bodies []string) (messages []Message) {
	for _, text := range subjects {
		messages = append(messages, Message{Text: text, Turn: -1, Subject: true})
	}
	bodies = slices.SortedStableFunc(slices.Values(bodies), func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, text := range bodies {
		var lines []string
		for line := range strings.Lines(text) {
			if !trailer().MatchString(strings.TrimSpace(line)) {
				lines = append(lines, line)
			}
		}
		messages = append(messages, Message{Text: strings.Join(lines, ""), Turn: -1, Commit: true})
	}
	return messages
}

var trailer = lazy(`^([A-Z][A-Za-z]*-[A-Za-z-]+: \S|.{0,4}Generated with |(Address(es)?|Fix(es)?|Close[sd]?|Refs?|See|Resolves)\b.{0,40}#\d+\b.{0,40}$|\(cherry picked from )`)

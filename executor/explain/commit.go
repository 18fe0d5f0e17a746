package explain

import (
	"cmp"
	"slices"
	"strings"
)

// Bodies returns the bodies of commit messages as messages, the longest first, without trailers.
func Bodies(list []string) (messages []Message) {
	longest := slices.SortedStableFunc(slices.Values(list), func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, text := range longest {
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

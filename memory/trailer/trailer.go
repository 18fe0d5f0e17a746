// Package trailer removes the trailers of commit messages that say nothing about the commit. It is pure.
package trailer

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

var (
	// person matches a line that names someone who took part: "Co-authored-by: A <a@b.example>".
	person = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^[a-z]+(-[a-z]+)*-by: (.*<[^<>]*@[^<>]*>|(.*\s)?@[\w-]+)$`)
	})
	// machine matches a line that a tool adds for itself.
	machine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(change-id: I[0-9a-f]+|git-svn-id: .+|.{0,4}generated with \[.+\]\(.+\))$`)
	})
	rule = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\\?[-*_]{3,}$`) })
)

// Strip returns a commit's message without the lines that name people or are a tool's own, and without
// blank lines and rules at its end. Other trailers, such as "Fixes: #12", stay.
func Strip(message string) string {
	lines := slices.DeleteFunc(strings.Split(message, "\n"), func(line string) bool {
		line = strings.TrimSpace(line)
		return person().MatchString(line) || machine().MatchString(line)
	})
	for n := len(lines); n > 0; n-- {
		if last := strings.TrimSpace(lines[n-1]); last != "" && !rule().MatchString(last) {
			return strings.Join(lines[:n], "\n")
		}
	}
	return ""
}

// Package trailer reads the lines of commit messages that say nothing about the commit: trailers that name
// people or belong to a tool, and references to issues, commits and pages. It is pure.
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
	// key matches a line that begins like a trailer. A few such lines are sentences, so Strip keeps them.
	key = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(([a-z]+(-[a-z]+)*-by|(?-i:[A-Z][A-Za-z]*(-[A-Z][A-Za-z]*)+|[A-Z][A-Za-z-]*-(from|id|link|of|on|with))|cc|change-id|git-svn-id|\W{0,4}generated (with|by)\b.*): ?\S|\W{0,4}generated with( \S+){1,3}$|[a-z-]+-commit: ?[0-9a-f]{7,40}$)`)
	})
	// reference matches a text of references and words that introduce them: "Fixes #12", "See https://a.example".
	reference = sync.OnceValue(func() *regexp.Regexp {
		const (
			to   = `([\w./-]*#\d+|https?://\S+|[0-9a-f]{7,40})`
			verb = `this|address(es)?|close[sd]?|fix(e[sd])?|resolve[sd]?|refs?|see|follows|follow-up|supersedes|related|issues?|pr|prs|cherry picked|part|commit|and|also`
			word = `|discussions?|reviews?|feedback|comments?|bugs?|pull request|commits|up|for|from|in|of|on|to`
			gap  = `[\s,;:.()&]*`
			more = `((` + verb + word + `)\b` + gap + `)*`
		)
		return regexp.MustCompile(`(?i)^` + gap + `((` + verb + `)\b` + gap + more + `)?(` + to + gap + more + `)*` + to + gap + `(partial` + gap + `)?$`)
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

// HasKey reports whether a line begins as a trailer does, or is a tool's own.
func HasKey(line string) bool {
	line = strings.TrimSpace(line)
	return key().MatchString(line) || machine().MatchString(line)
}

// Is reports whether a line is a trailer or a reference, so that it gives no reason for the commit.
func Is(line string) bool {
	return HasKey(line) || Refers(line)
}

// Refers reports whether a text only refers to issues, commits and pages.
func Refers(text string) bool {
	return reference().MatchString(strings.TrimSpace(text))
}

package tasklist

import (
	"strings"
	"unicode"
)

// Command splits a task that is one of our commands: "/remember TEXT", "/recall
// TASK" and "/forget ID…" need no agent.
func Command(task string) (name, rest string, ok bool) {
	end := strings.IndexFunc(task, unicode.IsSpace)
	if end < 0 {
		end = len(task)
	}
	switch word := task[:end]; word {
	case "/remember", "/recall", "/forget":
		return word[1:], strings.TrimSpace(task[end:]), true
	}
	return "", "", false
}

// Args returns the arguments after a command in a task. A text is one argument,
// unless it begins with flags. ok is false if a quotation mark is not closed.
func Args(name, rest string) (args []string, ok bool) {
	flags := len(rest) > 1 && rest[0] == '-' && !unicode.IsSpace(rune(rest[1]))
	switch {
	case rest == "":
		return nil, true
	case name != "forget" && !flags:
		return []string{"--", rest}, true
	}
	args, ok = Words(rest)
	if !flags {
		args = append([]string{"--"}, args...)
	}
	return args, ok
}

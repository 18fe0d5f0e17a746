package prompt

import (
	"slices"
	"strings"
	"unicode"
)

// IsCommand reports whether a task is a command of the agent, such as "/review"
// or "/team:plan now". Text in front of a command would turn it into plain
// words, so the prompt is the command without a block. The first word decides: a
// slash, a letter, then only letters, digits, '-', '_' and ':'. A path such as
// /etc/hosts, which has a further slash, is not a command.
func IsCommand(task string) bool {
	name, _, ok := cutCommand(task)
	if !ok {
		return false
	}
	for i, r := range name {
		if unicode.IsLetter(r) || i > 0 && (unicode.IsDigit(r) || strings.ContainsRune("-_:", r)) {
			continue
		}
		return false
	}
	return name != ""
}

// cutCommand divides a task that begins with a slash into the first word, without the slash, and the rest.
func cutCommand(task string) (name, arguments string, ok bool) {
	text, ok := strings.CutPrefix(task, "/")
	if end := strings.IndexFunc(text, unicode.IsSpace); end >= 0 {
		return text[:end], strings.TrimSpace(text[end:]), ok
	}
	return text, "", ok
}

// Commands are the names of the commands that AgentFlow gives to the sessions of Claude.
var Commands = []string{"recall", "remember", "forget", "files", "why"}

// OwnCommand returns the name and the arguments of a command of AgentFlow that a person typed. The
// names of a plugin's commands, such as /agentflow:recall, count too.
func OwnCommand(task string) (name, arguments string, ok bool) {
	name, arguments, ok = cutCommand(task)
	name = strings.TrimPrefix(name, "agentflow:")
	return name, arguments, ok && slices.Contains(Commands, name)
}

package prompt

import (
	"strings"
	"unicode"
)

// IsCommand says whether a task is a command of the agent's own, such as
// "/review" or "/team:plan now". Text in front of one would turn it into
// plain words, so it goes out alone. The first word decides: a slash, a
// letter, then only letters, digits, '-', '_' and ':'. A path such as
// /etc/hosts, which has a further slash, is none.
func IsCommand(task string) bool {
	name, ok := strings.CutPrefix(task, "/")
	if !ok {
		return false
	}
	if end := strings.IndexFunc(name, unicode.IsSpace); end >= 0 {
		name = name[:end]
	}
	for i, r := range name {
		if unicode.IsLetter(r) || i > 0 && (unicode.IsDigit(r) || strings.ContainsRune("-_:", r)) {
			continue
		}
		return false
	}
	return name != ""
}

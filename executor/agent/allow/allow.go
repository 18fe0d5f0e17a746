// Package allow finds the permission rules of the Claude CLI that would permit denied actions
// of an agent. It is pure.
//
// Guarantees: a rule for a shell command names the command as it was denied, or a check, a
// formatter, "git add" or "git commit" with any arguments. Programs that delete files, push,
// use the network, become another user, or run a text as commands have no rule.
//
// Not guaranteed: that the rules are sufficient. An action without a rule has a reason.
package allow

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"agentflow/gitwatch/toolcalls"
)

// Rules returns the rules for denied actions, in their order and without repetitions. reasons
// says why some of the actions have none.
func Rules(denials []string) (rules, reasons []string) {
	for _, denied := range denials {
		found, reason := ofAction(denied)
		if reason != "" {
			reasons = add(reasons, reason)
			continue
		}
		for _, rule := range found {
			rules = add(rules, rule)
		}
	}
	return rules, reasons
}

func add(list []string, one string) []string {
	if slices.Contains(list, one) {
		return list
	}
	return append(list, one)
}

// userSaid marks the line of an action that the user refused.
const userSaid = `: the user said "`

var tool = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^mcp__[A-Za-z0-9_-]+$`) })

// ofAction returns the rules for an action: the name of a tool, and its object.
func ofAction(denied string) (rules []string, reason string) {
	if strings.Contains(denied, userSaid) {
		return nil, ""
	}
	name, detail, _ := strings.Cut(denied, " ")
	switch {
	case name == "Bash":
		return ofCommand(detail)
	case name == "WebSearch", tool().MatchString(name):
		return []string{name}, ""
	case name == "WebFetch":
		if u, err := url.Parse(detail); err == nil && host().MatchString(u.Host) {
			return []string{"WebFetch(domain:" + u.Host + ")"}, ""
		}
	case isEdit(name):
		return nil, ""
	}
	return nil, fmt.Sprintf("no rule is proposed for %q", denied)
}

var host = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$`) })

func isEdit(tool string) bool {
	return slices.Contains([]string{"Write", "Edit", "MultiEdit", "NotebookEdit"}, tool)
}

// Edits reports whether one of the denied actions edits a file.
func Edits(denials []string) bool {
	return slices.ContainsFunc(denials, func(denied string) bool {
		name, _, _ := strings.Cut(denied, " ")
		return isEdit(name)
	})
}

func isControl(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }

// messageBehind matches the first line of a command that has a commit message in its other
// lines. A denial only has the first line.
var messageBehind = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(\bgit commit (?:-[a-zA-Z-]+ )*)"\$\(cat <<-? ?(?:'EOF'|"EOF"|EOF)$`)
})

// ofCommand returns the rules for the parts of a shell command. If one part has none, the
// command has none.
func ofCommand(command string) (rules []string, reason string) {
	command = messageBehind().ReplaceAllString(command, "${1}message")
	file, ok := toolcalls.Parse(command)
	if !ok || strings.Contains(command, "…") || strings.ContainsFunc(command, isControl) { // it was cut, or changed for display
		return nil, fmt.Sprintf("no rule is proposed for %q: its text is not whole", command)
	}
	r := reader{command: command}
	for _, s := range file.Stmts {
		r.stmt(s)
	}
	if r.why != "" {
		return nil, fmt.Sprintf("no rule is proposed for %q: %s", command, r.why)
	}
	return r.rules, ""
}

package connect

import "strings"

// hookTimes lists the events of a session, and the timeouts of their hooks. At the end of a
// session Claude gives a plugin's hooks 1.5 s, regardless of these values.
var hookTimes = []struct {
	event   string
	seconds int
	codex   bool // Codex has the event too
}{
	{"SessionStart", 10, true}, {"UserPromptSubmit", 5, true}, {"Stop", 10, true}, {"StopFailure", 10, false},
	{"SubagentStop", 10, true}, {"PreCompact", 10, true}, {"PostCompact", 10, true}, {"SessionEnd", 10, true},
}

// hooks returns the hooks for an agent's settings.
func (h Home) hooks(agent string) (items []Item) {
	for _, t := range hookTimes {
		if agent == "codex" && !t.codex {
			continue
		}
		items = append(items, Item{Path: []string{"hooks", t.event}, List: true, Value: hookGroup(h.Program, agent, t.seconds),
			Ours: isOurGroup, Inner: "hooks", OursInside: isOurHook})
	}
	return items
}

// hookGroup returns a group with our hook for an event.
func hookGroup(program, agent string, seconds int) map[string]any {
	return map[string]any{"hooks": []any{map[string]any{"type": "command", "command": hookCommand(program, agent), "timeout": seconds}}}
}

const hookCall = " session hook --agent "

// hookCommand returns the command line, for sh, that a hook runs. If the program is missing,
// the command does nothing and exits with 0.
func hookCommand(program, agent string) string {
	word := "'" + strings.ReplaceAll(strings.ReplaceAll(program, `\`, "/"), "'", `'\''`) + "'"
	return "[ ! -x " + word + " ] || " + word + hookCall + agent
}

func isOurHook(v any) bool { return hookProgram(v) != "" }

// isOurGroup reports whether a group of hooks holds only one of ours.
func isOurGroup(v any) bool {
	group, _ := v.(map[string]any)
	list, _ := group["hooks"].([]any)
	return len(list) == 1 && isOurHook(list[0])
}

// hookProgram returns the path of agentflow that a hook runs, or "" if the hook is not ours.
func hookProgram(v any) string {
	hook, _ := v.(map[string]any)
	command, _ := hook["command"].(string)
	test, call, _ := strings.Cut(command, " ] || ")
	word, ours := strings.CutPrefix(test, "[ ! -x '")
	if !ours || !strings.HasPrefix(call, "'"+word+hookCall) || !strings.HasSuffix(word, "'") {
		return ""
	}
	return strings.ReplaceAll(strings.TrimSuffix(word, "'"), `'\''`, "'")
}

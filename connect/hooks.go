package connect

import "strings"

// hookTimes are the events that a session is made of, and how many seconds a
// hook may take. At the end of a session Claude gives a plugin's hooks 1.5 s
// whatever is said here.
var hookTimes = []struct {
	event   string
	seconds int
	codex   bool // Codex has it too
}{
	{"SessionStart", 10, true}, {"UserPromptSubmit", 5, true}, {"Stop", 10, true}, {"StopFailure", 10, false},
	{"SubagentStop", 10, true}, {"PreCompact", 10, true}, {"PostCompact", 10, true}, {"SessionEnd", 10, true},
}

// hooks are those of an agent's settings.
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

// hookGroup is one of the groups of hooks of an event.
func hookGroup(program, agent string, seconds int) map[string]any {
	return map[string]any{"hooks": []any{map[string]any{"type": "command", "command": hookCommand(program, agent), "timeout": seconds}}}
}

const hookCall = " session hook --agent "

// hookCommand is the command line, for sh, that a hook runs. Where the program
// is missing it does nothing and exits with 0.
func hookCommand(program, agent string) string {
	word := "'" + strings.ReplaceAll(strings.ReplaceAll(program, `\`, "/"), "'", `'\''`) + "'"
	return "[ ! -x " + word + " ] || " + word + hookCall + agent
}

func isOurHook(v any) bool { return hookProgram(v) != "" }

// isOurGroup says whether a group of hooks holds one of ours and nothing else.
func isOurGroup(v any) bool {
	group, _ := v.(map[string]any)
	list, _ := group["hooks"].([]any)
	return len(list) == 1 && isOurHook(list[0])
}

// hookProgram is the agentflow that a hook runs; empty: it is somebody else's.
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

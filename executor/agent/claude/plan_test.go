package claude

import (
	"strings"
	"testing"

	"agentflow/executor/agent"
	"agentflow/internal/testing/agenttest"
)

// TestPlans: a plan that Claude presents, or writes to a file of plans, is reported before its call; a subagent's is not.
func TestPlans(t *testing.T) {
	for name, c := range map[string]struct{ parent, call, want string }{
		"presented":         {`null`, `"name":"ExitPlanMode","input":{"plan":"# Number the files"}`, "# Number the files"},
		"read by the CLI":   {`null`, `"name":"ExitPlanMode","input":{"plan":"# Number the files","planFilePath":"/r/plans/a.md"}`, "# Number the files /r/plans/a.md"},
		"without its text":  {`null`, `"name":"ExitPlanMode","input":{}`, ""},
		"written":           {`null`, `"name":"Write","input":{"file_path":"/r/docs/plans/names.md","content":"# Names"}`, "# Names /r/docs/plans/names.md"},
		"of another folder": {`null`, `"name":"Write","input":{"file_path":"/r/docs/names.md","content":"# Names"}`, ""},
		"of a subagent":     {`"t0"`, `"name":"Write","input":{"file_path":"/r/plans/names.md","content":"# Names"}`, ""},
	} {
		line := `{"type":"assistant","parent_tool_use_id":` + c.parent + `,"message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t1",` + c.call + `}]}}`
		var got []string
		for _, ev := range agenttest.Decode(New("claude"), []byte(line+"\n"), 50) {
			if ev.Kind == agent.Planned {
				got = append(got, strings.Join(append([]string{ev.Text}, ev.Paths...), " "))
			}
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

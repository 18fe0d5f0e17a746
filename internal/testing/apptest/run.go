package apptest

import (
	"testing"

	"agentflow/app"
	"agentflow/app/run"
	"agentflow/memory"
)

// ShellAgent returns a request for a run with a shell script as the agent.
func ShellAgent(task, script string) run.Request {
	return run.Request{Task: task, Agent: "command", AgentArgs: []string{"sh", "-c", "cat >/dev/null; " + script}}
}

// RunNow runs a script as the agent, in a repository.
func RunNow(t *testing.T, m *app.Memory, task, script string) app.RunResult {
	t.Helper()
	res, err := run.Run(t.Context(), m, ShellAgent(task, script))
	if err != nil || res.Run.Outcome != memory.OutcomeOK || res.Run.MemoryPath == "" {
		t.Fatalf("running %q: %+v, %v", task, res, err)
	}
	return res
}

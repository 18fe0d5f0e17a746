package apptest

import (
	"agentflow/app"
	"agentflow/app/run"
	"agentflow/app/worktree"
)

// RunInTree runs a shell command as the agent of a run in a separate work tree,
// and returns the tree's path.
func (p *Place) RunInTree(m *app.Memory, task, script string) string {
	p.T.Helper()
	res, err := run.Run(p.T.Context(), m, run.Request{Task: task, Agent: "command", AgentArgs: []string{"sh", "-c", "cat >/dev/null; " + script},
		Worktree: worktree.WorktreeRequest{Own: true, Keep: true}})
	if err != nil || res.Worktree == nil {
		p.T.Fatalf("%+v, %v", res, err)
	}
	return res.Worktree.Path
}

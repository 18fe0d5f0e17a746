package describe

import (
	"testing"

	"agentflow/app/api"
	"agentflow/internal/consolidate"
)

// The files of a change are those that were moved and those that took them in: both are counted.
func TestActions(t *testing.T) {
	fold := func(file, to string) api.ConsolidateAction {
		return api.ConsolidateAction{Kind: consolidate.Folded, File: file, To: to}
	}
	actions := []api.ConsolidateAction{fold("2026-01-01.md", "2026-01.md"), {Kind: consolidate.Struck}, fold("2026-01-02.md", "2026-01.md"), fold("2026-02-01.md", "2026-02.md")}
	if got, want := Actions(actions, false), "moved 3 daily files into 2 monthly files, struck out 1 fact that another replaces"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := Actions(actions[:1], true), "move 1 daily file into 1 monthly file"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

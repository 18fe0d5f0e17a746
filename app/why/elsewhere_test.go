package why_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"agentflow/app"
	"agentflow/app/list"
	"agentflow/app/open"
	"agentflow/app/run"
	"agentflow/internal/testing/apptest"
	"agentflow/internal/testing/labtest"
	"agentflow/memory"
)

// TestRunWritesElsewhere checks that writes of a run's file tools in another working tree are in
// the run's entry, and that why finds them there.
func TestRunWritesElsewhere(t *testing.T) {
	p := &apptest.Place{Lab: labtest.New(t, "")}
	linked := filepath.Join(p.Home, "linked")
	p.Git("worktree", "add", "-q", "-b", "topic", linked)
	p.Script(fmt.Sprintf("task parrots\nwrite song.txt \"a song\\n\"\nwrite %s/more.txt \"more songs\\n\"\nsay Both are there.\n", linked))
	m := p.Memory()
	res := apptest.Must(run.Run(t.Context(), m, run.Request{Task: "Write songs about parrots"}))(t)
	if e := res.Run; res.Run.Outcome != memory.OutcomeOK || len(e.Uncommitted) != 1 || len(e.Elsewhere) != 1 || e.Elsewhere[0].Tree != "~/linked" || e.Elsewhere[0].Path != "~/linked/more.txt" || *e.Elsewhere[0].Added != 1 {
		t.Fatalf("%+v", e)
	}
	there := apptest.Must(open.Open(t.Context(), linked, app.Env{Vars: p.Env}))(t)
	defer there.Close()
	wantOrigin(t, "more.txt:1", whyLine(t, there, "more.txt:1"), "shown run Write songs about parrots", "not committed yet")
	if log := apptest.Must(list.Log(t.Context(), there, list.LogRequest{Paths: []string{"more.txt"}}))(t); len(log.Runs) != 1 {
		t.Errorf("log of the path has %d entries", len(log.Runs))
	}
}

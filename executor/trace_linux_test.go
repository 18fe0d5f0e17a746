package executor

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"agentflow/executor/runfolder"
	"agentflow/memory"
)

// TestTheTraceOfARunStaysSmall: the agent waits until git's trace of its reads takes little of
// the disk. Afterwards the folder has almost nothing of it.
func TestTheTraceOfARunStaysSmall(t *testing.T) {
	l := newLab(t)
	rec := l.run(t, Request{Task: "Look", Timeout: 20 * time.Second, Agent: sh(t, `cat >/dev/null
yes '04:42:12.905108 refs/debug.c:193        iterator_advance: refs/heads/x (0)' | head -c 20000000 >> "$GIT_TRACE_REFS"
until [ "$(du -k "$GIT_TRACE_REFS" | cut -f 1)" -lt 8192 ]; do sleep 0.05; done; echo done`)})
	if rec.Outcome != memory.OutcomeOK {
		t.Errorf("%q, %q", rec.Outcome, rec.Degraded)
	}
	names, err := filepath.Glob(filepath.Join(l.deps.RunsDir, "*", runfolder.RefsFile))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	if info, err := os.Stat(names[0]); err != nil || info.Size() > 1<<10 {
		t.Errorf("%v, %v", info, err)
	}
}

package executor

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"agentflow/executor/runfolder"
)

// TestIsRecorded: the head of a written journal identifies the last stage and no other. A
// folder without a journal is not recorded.
func TestIsRecorded(t *testing.T) {
	const id = "01a20b66-4b10-7dfb-babe-25e874585ce9"
	dir := filepath.Join(t.TempDir(), id)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if runfolder.IsRecorded(dir) {
		t.Error("a folder without a journal is recorded")
	}
	for _, of := range []runfolder.Stage{runfolder.StageBegun, runfolder.StageEnded, runfolder.StageRecorded} {
		j := runfolder.Journal{Version: runfolder.JournalVersion, ID: id, Stage: of, Task: "recorded", Started: time.Now()}
		if err := j.Write(runfolder.RealDisk{}, dir); err != nil {
			t.Fatal(err)
		}
		if got := runfolder.IsRecorded(dir); got != (of == runfolder.StageRecorded) {
			t.Errorf("%s: recorded is %v", of, got)
		}
	}
}

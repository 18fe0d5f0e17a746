package executor

import (
	"testing"

	"agentflow/executor/agent/claude"
	"agentflow/executor/agent/command"
	"agentflow/executor/runfolder"
	"agentflow/internal/testing/agenttest"
	"agentflow/memory"
)

// BenchmarkRun measures the cost of a run in addition to the program, `true`, with the folders
// of 50 earlier runs and a memory without cost.
func BenchmarkRun(b *testing.B) {
	l := newLab(b)
	for range runfolder.KeepRuns {
		l.left(b, runfolder.Journal{Stage: runfolder.StageRecorded, Started: epoch(), Ended: epoch(), WorkTree: l.deps.WorkTree})
	}
	agent, err := command.New("command", []string{"true"}, command.Text)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		Recover(b.Context(), l.deps)
		rec, err := Run(b.Context(), l.deps, Request{Task: "x", Agent: agent})
		if err != nil || rec.Outcome != memory.OutcomeOK {
			b.Fatal(rec, err)
		}
	}
}

func BenchmarkClaudeDecoder(b *testing.B) {
	output := agenttest.Recordings(b, "..")["edit-and-commit"]
	b.SetBytes(int64(len(output)))
	for b.Loop() {
		agenttest.Decode(claude.New(), output, 64<<10)
	}
}

package executor

import (
	"testing"

	"agentflow/memory"
)

// BenchmarkRun is what a run costs beside the program itself, `true`, with
// the folders of 50 earlier runs in place and a memory that costs nothing.
func BenchmarkRun(b *testing.B) {
	l := newLab(b)
	for range keepRuns {
		l.left(b, journal{Stage: stageRecorded, Started: epoch(), Ended: epoch(), WorkTree: l.deps.WorkTree})
	}
	agent, err := NewCommand("command", []string{"true"}, ProtocolText)
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
	output := recordings(b)["edit-and-commit"]
	b.SetBytes(int64(len(output)))
	for b.Loop() {
		decode(NewClaude(), output, 64<<10)
	}
}

package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// undoScript is a run with much to take back: commits, files left, a rename, a
// deletion.
const undoScript = `sh "for i in $(seq 30); do echo run >> many/f$i; done; git add -A; git commit -qm 'the run'"
sh "for i in $(seq 30); do echo left >> many/f$i; echo new > new$i; done; git mv README renamed; rm many/g"
say "done"
`

// TestKilledUndoIsFinished ends undo with SIGKILL at random moments: the next
// one finishes it, and nothing is left that needs a hand. AGENTFLOW_COMMAND_KILLS sets
// how often; AGENTFLOW_SEED repeats a sequence of moments.
func TestKilledUndoIsFinished(t *testing.T) {
	kills := number(t, "AGENTFLOW_COMMAND_KILLS", 5)
	random := rand.New(rand.NewPCG(seed(t), 1))
	l := newLab(t, undoScript)
	for i := range 30 {
		l.Write(filepath.Join("many", fmt.Sprint("f", i+1)), "start\n")
	}
	l.Write("many/g", "start\n")
	l.Git("add", ".")
	l.Git("commit", "-qm", "many")
	l.Agentflow("run", "-q", "calibrate")
	start := time.Now()
	l.Agentflow("undo", "last", "--possible", "--yes")
	whole := time.Since(start)
	hit := 0
	for i := range kills {
		tree := l.Git("rev-parse", "HEAD^{tree}")
		l.Agentflow("run", "-q", fmt.Sprint("round ", i))
		if l.killed(upTo(random, whole), "undo", "last", "--possible", "--yes") {
			hit++
		}
		l.finishUndo()
		if status := l.Git("status", "--porcelain"); status != "" || l.Git("rev-parse", "HEAD^{tree}") != tree {
			t.Fatalf("round %d is not undone:\n%s", i, status)
		}
		if locks := l.Git("ls-files", "--others"); strings.Contains(locks, ".agentflow-undo") {
			t.Errorf("left behind: %s", locks)
		}
	}
	for _, left := range []string{"index.lock", "HEAD.lock", "refs/heads/main.lock", "agentflow/undo"} {
		if l.Exists(filepath.Join(".git", left)) {
			t.Errorf("%s is left behind", left)
		}
	}
	marked := 0
	for _, e := range l.Entries() {
		if e.IsUndone() {
			marked++
		}
	}
	if marked != kills+1 {
		t.Errorf("%d of %d undone runs are marked", marked, kills+1)
	}
	t.Logf("a whole undo takes %v; %d of %d were hit", whole.Round(time.Millisecond), hit, kills)
	if hit == 0 {
		t.Error("no kill hit")
	}
}

// finishUndo makes the undo again. A git that the killed one left at its work
// may move HEAD below the first attempt, which then changes nothing.
func (l *lab) finishUndo() {
	l.T.Helper()
	var out []byte
	var err error
	for range 3 {
		if out, err = l.Command("undo", "last", "--possible", "--yes").CombinedOutput(); err == nil {
			return
		}
	}
	l.T.Fatalf("the undo cannot be finished: %v\n%s", err, out)
}

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
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
// one finishes it, and nothing is left that needs a hand. AGENTFLOW_VERB_KILLS sets
// how often; AGENTFLOW_SEED repeats a sequence of moments.
func TestKilledUndoIsFinished(t *testing.T) {
	kills := number(t, "AGENTFLOW_VERB_KILLS", 5)
	seed := uint64(number(t, "AGENTFLOW_SEED", int(time.Now().UnixNano()%1_000_000)))
	t.Logf("%d kills, seed %d", kills, seed)
	random := rand.New(rand.NewPCG(seed, 1))
	l := newLab(t, undoScript)
	for i := range 30 {
		l.write(filepath.Join(l.repo, "many", fmt.Sprint("f", i+1)), "start\n")
	}
	l.write(filepath.Join(l.repo, "many/g"), "start\n")
	l.git(l.repo, "add", ".")
	l.git(l.repo, "commit", "-qm", "many")
	l.agentflow(l.repo, "run", "-q", "calibrate")
	start := time.Now()
	l.agentflow(l.repo, "undo", "last", "--possible", "--yes")
	whole := time.Since(start)
	hit := 0
	for i := range kills {
		tree := l.git(l.repo, "rev-parse", "HEAD^{tree}")
		l.agentflow(l.repo, "run", "-q", fmt.Sprint("round ", i))
		cmd := l.command(l.repo, "undo", "last", "--possible", "--yes")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Duration(random.Int64N(int64(whole))), func() { _ = cmd.Process.Kill() })
		if cmd.Wait() != nil {
			hit++
		}
		l.finishUndo()
		if status := l.git(l.repo, "status", "--porcelain"); status != "" || l.git(l.repo, "rev-parse", "HEAD^{tree}") != tree {
			t.Fatalf("round %d is not undone:\n%s", i, status)
		}
		if locks := l.git(l.repo, "ls-files", "--others"); strings.Contains(locks, ".agentflow-undo") {
			t.Errorf("left behind: %s", locks)
		}
	}
	for _, left := range []string{"index.lock", "HEAD.lock", "refs/heads/main.lock", "agentflow/undo"} {
		if _, err := os.Lstat(filepath.Join(l.repo, ".git", left)); err == nil {
			t.Errorf("%s is left behind", left)
		}
	}
	marked := 0
	for _, e := range l.entries() {
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
	l.t.Helper()
	var out []byte
	var err error
	for range 3 {
		if out, err = l.command(l.repo, "undo", "last", "--possible", "--yes").CombinedOutput(); err == nil {
			return
		}
	}
	l.t.Fatalf("the undo cannot be finished: %v\n%s", err, out)
}

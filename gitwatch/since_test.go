package gitwatch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/gitwatch/toolcalls"
	"agentflow/internal/testing/gittest"
)

// since is a run with a snapshot that is taken after it has begun to work.
type since struct {
	*fixture
	began time.Time
}

// late does work before the snapshot, and more after it, and compares.
func (f *since) late(before, after func(), evidence ...toolcalls.Call) ChangeSet {
	f.T.Helper()
	gittest.Must(f.T, os.WriteFile(filepath.Join(f.Run, "refs.log"), nil, 0o600))
	f.Trace = true
	before()
	raw, err := f.open().Snapshot(f.T.Context(), f.Run, f.began, nil)
	gittest.Must(f.T, err)
	after()
	f.Trace = false
	return f.open().Compare(f.T.Context(), raw, Evidence{Dir: f.Run, Started: gittest.Start, Ended: time.Now(), Tells: true, Calls: evidence})
}

// begin notes the time, once the clock of the file system has moved on.
func (f *since) begin() {
	f.T.Helper()
	newAgain(f.fixture).tick()
	f.began = time.Now().Add(ctimeGrain)
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(f.began); {
		if time.Now().After(deadline) {
			f.T.Fatal("the clock stands still")
		}
	}
	newAgain(f.fixture).tick()
}

func TestSnapshotOfAStartThatIsOver(t *testing.T) {
	f := &since{fixture: newFixture(t)}
	f.Commit("first", "kept.go", "a\n", "edited.go", "a\n", "gone.go", "a\n", "user.go", "a\n", "both.go", "a\n")
	f.Write("user.go", "the user's\n")
	f.Write("both.go", "the user's\n")
	f.begin()
	began := time.Now()
	set := f.late(func() {
		f.Write("made.go", "new\n")
		f.Write("edited.go", "b\n")
		gittest.Must(t, os.Remove(f.Path("gone.go")))
		f.Write("committed.go", "c\n")
		f.Git("add", "committed.go")
		f.Git("checkout", "-q", "-b", "topic")
		f.Git("commit", "-q", "-m", "before the snapshot")
	}, func() {
		f.Write("late.go", "d\n")
		f.Write("both.go", "the agent's\n")
		f.Git("add", "late.go")
		f.Git("commit", "-q", "-m", "after it")
	}, toolcalls.Call{Began: began, Ended: time.Now().Add(time.Hour), Names: []string{"made.go", "edited.go", "gone.go", "both.go"}})
	gittest.Want(t, "commits", subjectsOf(set.Commits), "before the snapshot, after it")
	gittest.Want(t, "branch", set.Branch, "main")
	gittest.Want(t, "committed", gittest.Show(set.Changes), "A committed.go +1 -0\nA late.go +1 -0")
	gittest.Want(t, "uncommitted", gittest.Show(set.Uncommitted),
		"M both.go +1 -1\nM edited.go +1 -1\nD gone.go +0 -1\nA made.go +1 -0")
	gittest.Want(t, "meanwhile", gittest.Show(set.Meanwhile), "")
}

// TestSnapshotBesideACommit: git moves a reference before it logs that, so the
// trace is asked for once the references were read.
func TestSnapshotBesideACommit(t *testing.T) {
	f := &since{fixture: newFixture(t)}
	f.Commit("first", "kept.go", "a\n")
	f.begin()
	trace := filepath.Join(f.Run, "refs.log")
	gittest.Must(t, os.WriteFile(trace, nil, 0o600))
	f.Trace = true
	f.Commit("beside the snapshot", "made.go", "new\n")
	f.Trace = false
	logged, err := os.ReadFile(trace)
	gittest.Must(t, err)
	gittest.Must(t, os.Truncate(trace, 0))
	raw, err := f.open().Snapshot(t.Context(), f.Run, f.began, func() { gittest.Must(t, os.WriteFile(trace, logged, 0o600)) })
	gittest.Must(t, err)
	set := f.open().Compare(t.Context(), raw, Evidence{Dir: f.Run, Started: gittest.Start, Ended: time.Now(), Tells: true})
	gittest.Want(t, "commits", subjectsOf(set.Commits), "beside the snapshot")
	gittest.Want(t, "committed", gittest.Show(set.Changes), "A made.go +1 -0")
}

// TestSnapshotWithoutATrace: the reflog has whole seconds, and the object of a
// commit has the moment.
func TestSnapshotWithoutATrace(t *testing.T) {
	for want, made := range map[string]time.Duration{"": 300 * time.Millisecond, "second": 700 * time.Millisecond} {
		t.Run(want, func(t *testing.T) {
			f := newFixture(t)
			f.Commit("first", "a.go", "a\n")
			second := time.Now().Truncate(time.Second)
			f.Extra = []string{fmt.Sprintf("GIT_COMMITTER_DATE=@%d +0000", second.Unix())}
			f.Commit("second", "b.go", "b\n")
			id := strings.TrimSpace(f.Git("rev-parse", "HEAD"))
			gittest.Must(t, os.Chtimes(f.Path(filepath.Join(".git/objects", id[:2], id[2:])), second.Add(made), second.Add(made)))
			since := second.Add(500 * time.Millisecond)
			raw, err := f.open().Snapshot(t.Context(), f.Run, since, nil)
			gittest.Must(t, err)
			ev := Evidence{Dir: f.Run, Started: since, Ended: since.Add(time.Minute), Tells: true, Untraced: true, Calls: []toolcalls.Call{{Began: since, Git: true}}}
			gittest.Want(t, "possible commits", subjectsOf(f.open().Compare(t.Context(), raw, ev).PossibleCommits), want)
		})
	}
}

package undo

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"agentflow/internal/testing/gittest"
	"agentflow/internal/testing/randomtest"
	"agentflow/internal/testing/runtest"
)

// TestUndoRandomHiddenRuns takes back random runs that ignore, un-ignore, add by
// force, stash, amend and end nested repositories, each in a repository of its
// own. The oracle is a copy of the work tree from before the run and one from
// after it: an undo leaves each file as one of them, removes none that was there
// before, and gives back byte for byte all that git looked at when the run began.
func TestUndoRandomHiddenRuns(t *testing.T) {
	undone := 0
	cases := randomtest.Cases(t, 25)
	randomtest.Check(t, cases, func(t *testing.T, rnd *rand.Rand) {
		if hiddenRun(t, rnd) {
			undone++
		}
	})
	if undone < cases/5 {
		t.Errorf("%d undone: the runs are no test", undone)
	}
}

// hiddenAtFirst says whether git does not look at a path when a run begins.
func hiddenAtFirst(path string) bool {
	return strings.HasSuffix(path, ".ign") || strings.HasPrefix(path, "build/") || strings.HasPrefix(path, "nested/") || path == "excluded.txt"
}

func hiddenRun(t *testing.T, rnd *rand.Rand) (undone bool) {
	f := runtest.New(t)
	inFormat(f, randomtest.Pick(rnd, "sha1", "sha1", "sha256"))
	f.Commit("ignore", ".gitignore", "*.ign\nbuild/\n", "local.txt", "default\n")
	f.Write(".git/info/exclude", "excluded.txt\n")
	for _, name := range []string{"data.ign", "d/data.ign", "build/out", "build/deep/out", "excluded.txt", "nested/p.txt", "notes.txt", "d/notes.txt", "local.txt"} {
		f.Write(name, "the user's "+name+"\n")
	}
	f.Git("-C", "nested", "init", "-q")
	f.Git("update-index", randomtest.Pick(rnd, "--assume-unchanged", "--skip-worktree"), "local.txt")
	if rnd.IntN(2) == 0 {
		f.Write("b.txt", "b\nthe user's\n")
	}
	before := readTree(t, f.Dir)
	var log []string
	set := f.During(func() {
		for range 1 + rnd.IntN(6) {
			log = append(log, actHidden(f, rnd))
		}
	}, keep)
	after := readTree(t, f.Dir)
	ignored := map[string]bool{} // new files that git ignores are not seen
	for _, path := range strings.FieldsFunc(f.Git("ls-files", "-z", "--others", "--ignored", "--exclude-standard"), isNul) {
		ignored[path] = true
	}
	request := requestOf(f, set)
	plan, err := New(t.Context(), f.Open(), request)
	gittest.Must(t, err)
	defer plan.Close()
	defer func() {
		if t.Failed() {
			t.Logf("the run did\n%s\nrestore %q\nremove %q\nstays %q\nrefused %q", strings.Join(log, "\n"), plan.Restore, plan.Remove, plan.Stays, plan.Refused)
		}
	}()
	if len(plan.Refused) > 0 {
		if request.Moved == 0 && !strings.Contains(fmt.Sprint(plan.Refused), "submodule") {
			t.Errorf("refused: %v", plan.Refused)
		}
		return false
	}
	_, err = plan.Apply(t.Context())
	gittest.Must(t, err)
	checkHidden(t, plan, ignored, before, after, readTree(t, f.Dir))
	return true
}

// checkHidden holds what an undo left against the oracle.
func checkHidden(t *testing.T, plan *Plan, ignored map[string]bool, before, after, now tree) {
	t.Helper()
	stays := map[string]bool{}
	for _, s := range plan.Stays {
		stays[s.Path] = true
	}
	for _, path := range before.differ(now) {
		was, existed := before[path]
		left, there := after[path]
		_, is := now[path]
		switch {
		case existed && there && !is:
			t.Errorf("%q is removed, and was there before: %q", path, was)
		case now[path] != left:
			t.Errorf("%q is neither as it was nor as the run left it: before %q, after %q, now %q", path, was, left, now[path])
		case !existed && ignored[path]:
		case !hiddenAtFirst(path) && !stays[path]:
			t.Errorf("%q is not given back: before %q, after %q", path, was, left)
		}
	}
}

// actHidden does one random thing and says what.
func actHidden(f *runtest.Repo, rnd *rand.Rand) string {
	hidden := randomtest.Pick(rnd, "data.ign", "d/data.ign", "build/out", "excluded.txt", "nested/p.txt")
	seen := randomtest.Pick(rnd, "a.txt", "b.txt", "notes.txt", "d/notes.txt", "local.txt", "new.txt", "d/new.txt")
	git := func(args ...string) string {
		_, err := f.Try(args...)
		return fmt.Sprint(args, err)
	}
	switch rnd.IntN(13) {
	case 0:
		f.Write(".gitignore", "")
		return "un-ignore all"
	case 1:
		f.Write(".git/info/exclude", "")
		return "exclude nothing"
	case 2:
		f.Write(".gitignore", "*.ign\nbuild/\nnotes.txt\nnew.txt\n")
		return "ignore notes and new files"
	case 3:
		gittest.Must(f.T, os.RemoveAll(f.Path("nested/.git")))
		return "end the nested repository"
	case 4:
		return git("add", "-f", hidden)
	case 5:
		return git("add", "-f", hidden) + git("commit", "-qm", "by force")
	case 6:
		return git("update-index", "--no-assume-unchanged", "local.txt") + git("update-index", "--no-skip-worktree", "local.txt")
	case 7:
		return git("stash", "-q", "-u")
	case 8:
		return git("commit", "-q", "--amend", "-m", "reworded")
	case 9:
		return git("commit", "-q", "-a", "-m", "all")
	case 10:
		f.Write(hidden, "the run's\n")
		return "write " + hidden
	case 11:
		gittest.Must(f.T, os.RemoveAll(f.Path(seen)))
		return "remove " + seen
	}
	f.Write(seen, fmt.Sprintf("the run's %d\n", rnd.IntN(9)))
	return "write " + seen
}

package undo

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentflow/gitwatch"
	"agentflow/gitwatch/edits"
	"agentflow/internal/testing/gittest"
	"agentflow/internal/testing/randomtest"
	"agentflow/internal/testing/runtest"
)

// TestUndoRandomRuns takes back random runs in a repository with earlier work of the user's. If
// there was no work after the run, the work tree is byte for byte as it was and HEAD holds the same
// files. If there was, it is the same except for that work, or the undo is refused and nothing has
// changed. The patch of each run turns its beginning into its end.
func TestUndoRandomRuns(t *testing.T) {
	f := runtest.New(t)
	f.Git("config", "user.name", "A")
	f.Git("config", "user.email", "a@example.org")
	f.Commit("base", "a.txt", strings.Repeat("a\nb\nc\n", 9), "d/b.txt", "b\n", "d/e/c.txt", strings.Repeat("c\n", 20), "x.sh", "#!\n")
	n, undone, refused := 0, 0, 0
	cases := randomtest.Cases(t, 50)
	randomtest.Check(t, cases, func(t *testing.T, rnd *rand.Rand) {
		n++
		run := f.At(f.Dir, filepath.Join(f.Run, fmt.Sprint(n)))
		if randomRun(t, run, rnd, n%2 == 0) {
			undone++
		} else {
			refused++
		}
	})
	if undone < cases/2 || refused == 0 {
		t.Errorf("%d undone, %d refused: the runs are no test", undone, refused)
	}
}

func randomRun(t *testing.T, f *runtest.Repo, rnd *rand.Rand, later bool) (undone bool) {
	user := &hand{Repo: f, rnd: rnd, touched: map[string]bool{}}
	for range rnd.IntN(4) {
		user.act()
	}
	before, headTree := readTree(t, f.Dir), f.Git("rev-parse", "HEAD^{tree}")
	run := &hand{Repo: f, rnd: rnd, touched: map[string]bool{}}
	set := f.During(func() {
		for range 1 + rnd.IntN(8) {
			run.act()
			if rnd.IntN(5) == 0 {
				run.commitSome()
			}
			if rnd.IntN(40) == 0 {
				run.move()
			}
		}
	}, keep, func(ev *gitwatch.Evidence) { runtest.Wrote(ev, slices.Collect(maps.Keys(run.touched))...) })
	after := readTree(t, f.Dir)
	defer func() {
		if t.Failed() {
			t.Logf("the user had done\n%s\nthe run did\n%s", strings.Join(user.log, "\n"), strings.Join(run.log, "\n"))
		}
	}()
	request := requestOf(f, set)
	if request.Moved == 0 {
		checkPatch(f, request, before, after)
	}

	other := &hand{Repo: f, rnd: rnd, touched: map[string]bool{}}
	for later && len(other.touched) == 0 {
		other.act()
		if rnd.IntN(3) == 0 {
			other.commitSome()
		}
	}
	between, state := readTree(t, f.Dir), run.state()
	undo, err := New(t.Context(), f.Open(), request)
	gittest.Must(t, err)
	defer undo.Close()
	if len(undo.Refused) > 0 {
		if !later && request.Moved == 0 {
			t.Errorf("refused: %v", undo.Refused)
		}
		if d := between.differ(readTree(t, f.Dir)); len(d) > 0 || run.state() != state {
			t.Errorf("a refusal changed %q", d)
		}
		return false
	}
	_, err = undo.Apply(t.Context())
	gittest.Must(t, err)
	now := readTree(t, f.Dir)
	for _, path := range before.differ(now) {
		if !other.touched[path] {
			t.Errorf("%q: before %q\nafter %q\nnow %q", path, before[path], after[path], now[path])
		}
	}
	if !later && len(set.Commits) > 0 && f.Git("rev-parse", "HEAD^{tree}") != headTree {
		t.Errorf("HEAD differs from what it held:\n%s", f.Git("diff", "--stat", strings.TrimSpace(headTree), "HEAD"))
	}
	if later || rnd.IntN(4) > 0 {
		return true
	}
	again, err := New(t.Context(), f.Open(), request)
	gittest.Must(t, err)
	defer again.Close()
	if !again.Done() {
		t.Errorf("undone, but it is not done: %q %q %v", again.Restore, again.Remove, again.Refused)
	}
	return true
}

func requestOf(f *runtest.Repo, set gitwatch.ChangeSet) Request {
	f.T.Helper()
	request := Request{Dir: f.Run, Temp: f.Run, Message: "Revert the run\n"}
	for _, c := range set.Commits {
		request.Commits = append(request.Commits, c.ID)
	}
	var err error
	if request.Edits, err = edits.Load(f.Run); err == nil {
		request.Committed, err = edits.LoadCommitted(f.Run)
		request.Moved, _ = edits.LoadMoved(f.Run)
	}
	if len(set.Changes.Items)+len(set.Uncommitted.Items) > 0 {
		gittest.Must(f.T, err)
	}
	for _, list := range [][]edits.Change{request.Edits, request.Committed} {
		for i := range list {
			list[i].Mixed = edits.MixedNo // there were no others, which the evidence does not show
		}
	}
	return request
}

// checkPatch applies the run's patch, outside of git, to what was there before
// it.
func checkPatch(f *runtest.Repo, request Request, before, after tree) {
	f.T.Helper()
	patch, err := OpenPatch(f.T.Context(), f.Open(), f.Run, slices.Concat(request.Committed, request.Edits))
	gittest.Must(f.T, err)
	defer patch.Close()
	if len(patch.Missing) > 0 {
		f.T.Errorf("lacking %v", patch.Missing)
	}
	for _, path := range patch.Swept {
		if before[path] != after[path] {
			f.T.Errorf("%q is left out, but it changed", path)
		}
	}
	text, err := patch.Text(f.T.Context(), true)
	gittest.Must(f.T, err)
	dir := f.T.TempDir()
	for path, file := range before {
		mode, data, _ := strings.Cut(file, " ")
		full := filepath.Join(dir, filepath.FromSlash(path))
		gittest.Must(f.T, os.MkdirAll(filepath.Dir(full), 0o755))
		switch {
		case strings.HasPrefix(mode, "L"):
			gittest.Must(f.T, os.Symlink(data, full))
		case strings.Contains(mode, "x"):
			gittest.Must(f.T, os.WriteFile(full, []byte(data), 0o755))
		default:
			gittest.Must(f.T, os.WriteFile(full, []byte(data), 0o644))
		}
	}
	if len(text) > 0 {
		cmd := exec.Command("git", "apply")
		cmd.Dir, cmd.Env, cmd.Stdin = dir, append(f.Env(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir)), bytes.NewReader(text)
		if out, err := cmd.CombinedOutput(); err != nil {
			f.T.Errorf("git apply: %v\n%s\n%s", err, out, text)
			return
		}
	}
	if d := readTree(f.T, dir).differ(after); len(d) > 0 {
		f.T.Errorf("the patch gives other files: %q\n%s", d, text)
	}
}

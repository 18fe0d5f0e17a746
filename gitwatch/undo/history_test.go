package undo

import (
	"os"
	"strings"
	"testing"

	"agentflow/gitwatch"
	"agentflow/gitwatch/edits"
	"agentflow/internal/testing/gittest"
	"agentflow/internal/testing/runtest"
)

// TestUndoOfAnOrphan: a commit that begins a separate history holds the files from before. Taking
// it back would leave nothing.
func TestUndoOfAnOrphan(t *testing.T) {
	l := newLab(t, base, func(f *runtest.Repo) {
		f.Git("checkout", "-q", "--orphan", "fresh")
		f.Git("commit", "-qm", "fresh start")
	})
	l.request.From = gitwatch.Origin{Base: strings.TrimSpace(l.Git("rev-parse", "main")), Branch: "main"}
	before := readTree(t, l.Dir)
	plan, err := New(t.Context(), l.Open(), l.request)
	gittest.Must(t, err)
	defer plan.Close()
	if len(plan.Refused) != 1 || !strings.Contains(plan.Refused[0].Why, "begins a separate history") {
		t.Errorf("refused: %v", plan.Refused)
	}
	gittest.Want(t, "hint", plan.Hint, "'git switch main' goes back to the history where the run began")
	if d := before.differ(readTree(t, l.Dir)); len(d) > 0 {
		t.Errorf("it changed %q", d)
	}
}

// TestUndoOfAnAmend: if the run reworded an earlier commit, or added to it, only the addition is
// the run's, with the run's folder and without.
func TestUndoOfAnAmend(t *testing.T) {
	for _, c := range []struct{ name, add, patch string }{
		{"reworded", "", ""},
		{"added to", "run\n", "+run"},
	} {
		for _, gone := range []bool{false, true} {
			t.Run(c.name, func(t *testing.T) {
				var origin string
				l := newLab(t, func(f *runtest.Repo) {
					base(f)
					f.Commit("the user's", "a.txt", "the user's\n", "u.txt", "u\n")
					origin = strings.TrimSpace(f.Git("rev-parse", "HEAD"))
				}, func(f *runtest.Repo) {
					f.Write("b.txt", "b\n"+c.add)
					f.Git("commit", "-q", "--amend", "-am", "better")
				})
				l.request.From = gitwatch.Origin{Base: origin, Branch: "main"}
				if _, err := edits.LoadCommitted(l.Run); err != nil {
					t.Errorf("nothing tells that the run's commit changed no more than that: %v", err)
				}
				if gone {
					gittest.Must(t, os.RemoveAll(l.Run))
					gittest.Must(t, os.Mkdir(l.Run, 0o700))
					var err error
					l.request.Edits = nil
					l.request.Committed, err = l.Open().CommittedBy(t.Context(), l.request.Commits, l.request.From)
					gittest.Must(t, err)
				}
				patch, err := OpenPatch(t.Context(), l.Open(), l.Run, l.request.Committed)
				gittest.Must(t, err)
				defer patch.Close()
				text, err := patch.Text(t.Context(), true)
				gittest.Must(t, err)
				added := ""
				for line := range strings.Lines(string(text)) {
					if strings.HasPrefix(line, "+") && !strings.HasPrefix(line, "+++") {
						added += strings.TrimSuffix(line, "\n")
					}
				}
				gittest.Want(t, "patch adds", added, c.patch)
				gittest.Want(t, "refused", l.undo(), "")
				l.is("a.txt", "the user's\n")
				l.is("u.txt", "u\n")
				l.is("b.txt", "b\n")
				gittest.Want(t, "HEAD", l.Git("show", "HEAD:a.txt"), "the user's\n")
				gittest.Want(t, "status", l.status(), "")
			})
		}
	}
}

// TestUndoKeepsWhatCameIn: a run that pulls or merges is taken back without the commits
// that came in.
func TestUndoKeepsWhatCameIn(t *testing.T) {
	mine := func(f *runtest.Repo) { f.Commit("mine", "mine.txt", "m\n") }
	merge := func(args ...string) func(*runtest.Repo) {
		return func(f *runtest.Repo) {
			f.Git(append([]string{"merge", "-q", "--no-edit"}, append(args, "other")...)...)
		}
	}
	for _, c := range []struct {
		name    string
		act     []func(*runtest.Repo)
		refused string
	}{
		{"forward, then a commit", []func(*runtest.Repo){merge("--ff-only"), mine}, ""},
		{"a merge commit", []func(*runtest.Repo){mine, merge()}, ""},
		{"a merge commit first", []func(*runtest.Repo){merge("--no-ff"), mine}, ""},
		{"forward, then an edit", []func(*runtest.Repo){merge("--ff-only"), func(f *runtest.Repo) { f.Write("mine.txt", "m\n") }}, ""},
		{"forward, then the same file", []func(*runtest.Repo){merge("--ff-only"), mine, func(f *runtest.Repo) { f.Commit("again", "b.txt", "b\nin\nrun\n") }}, ""},
		{"forward below an edit", []func(*runtest.Repo){mine, func(f *runtest.Repo) { f.Write("b.txt", "b\nrun\n") }, func(f *runtest.Repo) {
			f.Git("stash", "-q")
			merge("--no-ff")(f)
			f.Write("b.txt", "b\nin\nrun\n")
		}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t, func(f *runtest.Repo) {
				base(f)
				f.Git("checkout", "-qb", "other")
				f.Commit("theirs", "b.txt", "b\nin\n", "theirs.txt", "t\n")
				f.Git("checkout", "-q", "main")
			}, func(f *runtest.Repo) {
				for _, act := range c.act {
					act(f)
				}
			})
			gittest.Want(t, "refused", l.undo(), c.refused)
			if c.refused != "" {
				return
			}
			if _, err := os.Lstat(l.Path("mine.txt")); err == nil {
				t.Error("mine.txt is there")
			}
			l.is("b.txt", "b\nin\n")
			l.is("theirs.txt", "t\n")
			gittest.Want(t, "status", l.status(), "")
		})
	}
}

// TestUndoKeepsWhatCameInBelow: an uncommitted change from before the run was carried over
// commits that came in, so the contents from before the run do not have them.
func TestUndoKeepsWhatCameInBelow(t *testing.T) {
	l := newLab(t, func(f *runtest.Repo) {
		base(f)
		f.Git("checkout", "-qb", "other")
		f.Commit("theirs", "a.txt", "theirs\n"+numbered(1, 20))
		f.Git("checkout", "-q", "main")
		f.Write("a.txt", numbered(1, 20)+"user\n")
	}, func(f *runtest.Repo) {
		f.Git("merge", "-q", "--ff-only", "--autostash", "other")
		f.Write("a.txt", "theirs\n"+numbered(1, 20)+"user\nrun\n")
	})
	kept, err := edits.Load(l.Run)
	gittest.Must(t, err)
	if len(kept) != 1 || kept[0].Mixed != edits.MixedYes {
		t.Errorf("kept: %+v", kept)
	}
}

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

// TestUndoOfAnOrphan: a commit that begins a history of its own holds what was
// there before; taking it back would leave nothing.
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
	if len(plan.Refused) != 1 || !strings.Contains(plan.Refused[0].Why, "begins a history of its own") {
		t.Errorf("refused: %v", plan.Refused)
	}
	gittest.Want(t, "hint", plan.Hint, "'git switch main' goes back to the history where the run began")
	if d := before.differ(readTree(t, l.Dir)); len(d) > 0 {
		t.Errorf("it changed %q", d)
	}
}

// TestUndoOfAnAmend: of a commit from before that the run reworded, or added
// to, only what the run added is its own, with the run's folder and without.
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

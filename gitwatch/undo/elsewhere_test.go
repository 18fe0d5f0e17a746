package undo

import (
	"fmt"
	"strings"
	"testing"

	"agentflow/gitwatch"
	"agentflow/gitwatch/toolcalls"
	"agentflow/internal/testing/gittest"
	"agentflow/internal/testing/runtest"
)

// TestUndoLeavesPersonsCommits: what a file tool of the run wrote and a person committed or
// stashed stays, and undo says how it is taken back. The rest of the run is taken back.
func TestUndoLeavesPersonsCommits(t *testing.T) {
	for _, c := range []struct {
		name           string
		person         func(f *runtest.Repo)
		refused, stays string // ID stands for the commit
	}{
		{"commits", func(f *runtest.Repo) { f.Git("commit", "-qm", "the person's", "--", "b.txt") }, "[]", "[{b.txt you committed it as ID: 'git revert ID' takes it back}]"},
		{"commits all", func(f *runtest.Repo) {
			f.Git("add", "-A")
			f.Git("commit", "-qm", "the person's", "--author=B <b@example.org>")
		}, "[{b.txt another person committed it as ID: 'git revert ID' takes it back} {new.txt another person committed it as ID: 'git revert ID' takes it back}]", "[]"},
		{"commits and reverts", func(f *runtest.Repo) {
			f.Git("commit", "-qm", "the person's", "--", "b.txt")
			f.Git("revert", "--no-edit", "HEAD")
		}, "[]", "[]"},
		{"commits under an earlier address", func(f *runtest.Repo) {
			f.Git("config", "user.email", "old@example.org")
			f.Git("commit", "-qm", "the person's", "--", "b.txt")
			f.Git("config", "user.email", "A@example.org")
			f.Write(".git/mailmap", "A <a@example.org> <old@example.org>\n")
			f.Git("config", "mailmap.file", ".git/mailmap")
		}, "[]", "[{b.txt you committed it as ID: 'git revert ID' takes it back}]"},
		{"stashes", func(f *runtest.Repo) { f.Git("stash", "-q", "--", "b.txt") }, "[]", "[{b.txt you stashed it as ID: 'git stash show -p ID' shows it}]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := runtest.New(t)
			f.Git("config", "user.name", "A")
			f.Git("config", "user.email", "a@example.org")
			base(f)
			set := f.During(func() {
				f.Write("b.txt", "the run's\n")
				f.Write("new.txt", "new\n")
				f.Trace = false
				c.person(f)
				f.Trace = true
			}, keep, func(ev *gitwatch.Evidence) {
				id := func(text string) string { return toolcalls.TextID([]byte(text)) }
				ev.Tells, ev.Calls = true, []toolcalls.Call{{Began: ev.Started, Ended: ev.Started, Wrote: []toolcalls.Write{
					{Path: "b.txt", Before: id("b\n"), After: id("the run's\n")}, {Path: "new.txt", Before: toolcalls.NoText, After: id("new\n")},
				}}}
			})
			head := f.Git("rev-parse", "HEAD")
			plan, err := New(t.Context(), f.Open(), requestOf(f, set))
			gittest.Must(t, err)
			defer plan.Close()
			id := head[:7]
			if stash, err := f.Try("rev-parse", "--verify", "--quiet", "stash"); err == nil {
				id = stash[:7]
			}
			gittest.Want(t, "refused", fmt.Sprint(plan.Refused), strings.ReplaceAll(c.refused, "ID", id))
			gittest.Want(t, "stays", fmt.Sprint(plan.Stays), strings.ReplaceAll(c.stays, "ID", id))
			if len(plan.Refused) > 0 {
				gittest.Want(t, "hint", plan.Hint, "'git revert "+id+"' takes it back")
				return
			}
			_, err = plan.Apply(t.Context())
			gittest.Must(t, err)
			gittest.Want(t, "HEAD", f.Git("rev-parse", "HEAD"), head)
			gittest.Want(t, "status", f.Git("status", "--porcelain"), "")
		})
	}
}

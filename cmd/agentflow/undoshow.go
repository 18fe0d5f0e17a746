package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"agentflow/memory"
)

// undoObject is what `undo --json` prints.
type undoObject struct {
	ID      string          `json:"id"`
	Restore []string        `json:"restore"` // paths that get contents or a mode back
	Remove  []string        `json:"remove"`
	Unstage []string        `json:"unstage"` // paths that only the index holds as the run left them
	Revert  []memory.Commit `json:"revert"`
	Refused []leftOut       `json:"refused"` // why it cannot be; path is empty for a reason about the whole
	Done    bool            `json:"done"`    // all is taken back
	Commit  string          `json:"commit"`  // full id of the new commit; empty when none was made
	Aside   string          `json:"aside"`   // the folder with files that gave way and were nowhere else; empty when there were none
}

func (u *undoing) print(commit string, done bool) error {
	o := undoObject{ID: u.entry.ID, Restore: filled(u.plan.Restore), Remove: filled(u.plan.Remove), Unstage: filled(u.plan.Unstage), Revert: filled(u.reverted()),
		Refused: []leftOut{}, Done: done, Commit: commit, Aside: u.plan.Aside}
	for _, r := range u.plan.Refused {
		o.Refused = append(o.Refused, leftOut{r.Path, r.Why})
	}
	return u.site.json(o)
}

// reverted are the commits that are to be taken back, the newest first.
func (u *undoing) reverted() []memory.Commit {
	if !u.plan.Revert {
		return nil
	}
	commits := slices.Clone(u.entry.Commits)
	slices.Reverse(commits)
	return commits
}

// show tells what the plan would do, and what keeps it from being done.
func (u *undoing) show() {
	s, p := u.site, u.plan
	s.printf("%s  %s\n", s.dim(memory.ShortID(u.entry.ID)), s.bold(cleanLine(titleOf(u.entry))))
	list := func(colour, what string, paths []string) {
		for _, path := range paths {
			s.printf("  %s  %s\n", s.style(colour, what), memory.QuotePath(path))
		}
	}
	list("32", "restore", p.Restore)
	list("31", "remove ", p.Remove)
	list("33", "unstage", p.Unstage)
	for _, c := range u.reverted() {
		s.printf("  %s  %s %s\n", s.style("33", "revert "), shortCommit(c.ID), cleanLine(c.Subject))
	}
	for _, r := range p.Refused {
		what := r.Why
		if r.Path != "" {
			what = memory.QuotePath(r.Path) + ": " + r.Why
		}
		s.printf("  %s  %s\n", s.style("1;31", "refused"), cleanLine(what))
	}
	switch {
	case p.Empty():
		s.printf("  it changed no file that could be taken back\n")
	case p.Done():
		s.printf("  nothing of it is left to take back\n")
	}
}

// message is that of the commit that takes the run's back, as git revert
// writes it.
func (u *undoing) message(ctx context.Context) string {
	ids := u.site.commitsNow(ctx, u.entry)
	slices.Reverse(ids)
	title := u.entry.Title
	if len(ids) == 1 {
		if subject := u.repo.Subjects(ctx, ids)[ids[0]]; subject != "" {
			title = subject
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Revert \"%s\"\n\n", cleanLine(title))
	for _, id := range ids {
		fmt.Fprintf(&b, "This reverts commit %s.\n", id)
	}
	return b.String()
}

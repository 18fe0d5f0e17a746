package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"agentflow/api"
	"agentflow/internal/plural"

	"agentflow/gitwatch/undo"
	"agentflow/memory"
)

// undoObject is what `undo --json` prints.
type undoObject struct {
	ID      string          `json:"id"`
	Restore []string        `json:"restore"` // paths that get contents or a mode back
	Remove  []string        `json:"remove"`
	Unstage []string        `json:"unstage"` // paths that only the index holds as the run left them
	Revert  []memory.Commit `json:"revert"`
	// Possible are the paths that may be somebody else's, and stay.
	Possible        []string        `json:"possible"`
	PossibleCommits []memory.Commit `json:"possible_commits"` // that may be somebody else's, and stay
	Swept           []string        `json:"swept"`            // paths that the run only committed, and that stay
	Refused         []api.LeftOut   `json:"refused"`          // why it cannot be; path is empty for a reason about the whole
	Stays           []api.LeftOut   `json:"stays"`            // files whose earlier contents cannot be had, and that stay
	Done            bool            `json:"done"`             // all of these is taken back but possible and swept
	Commit          string          `json:"commit"`           // full id of the new commit; empty when none was made
	Aside           string          `json:"aside"`            // the folder with files that gave way and were nowhere else; empty when there were none
}

func (u *undoing) print(commit string, done bool) error {
	o := undoObject{ID: u.entry.ID, Restore: filled(u.plan.Restore), Remove: filled(u.plan.Remove), Unstage: filled(u.plan.Unstage), Revert: filled(u.reverted()),
		Possible: filled(u.open.paths), PossibleCommits: filled(u.open.commits), Swept: filled(u.swept()),
		Refused: leftOuts(u.plan.Refused), Stays: leftOuts(u.plan.Stays), Done: done && len(u.plan.Stays) == 0, Commit: commit, Aside: u.plan.Aside}
	return u.site.json(o)
}

func leftOuts(refusals []undo.Refusal) []api.LeftOut {
	out := []api.LeftOut{}
	for _, r := range refusals {
		out = append(out, api.LeftOut(r))
	}
	return out
}

// reverted are the commits that are to be taken back, the newest first.
func (u *undoing) reverted() []memory.Commit {
	if !u.plan.Revert {
		return nil
	}
	return u.commits
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
	leave := func(what, why string) { s.printf("  %s  %s: %s\n", s.dim("leave  "), what, why) }
	for _, path := range u.open.paths {
		leave(memory.QuotePath(path), u.open.why[path])
	}
	for _, c := range u.open.commits {
		leave(shortCommit(c.ID)+" "+cleanLine(c.Subject), u.whyOpenCommit(c))
	}
	for _, path := range u.swept() {
		leave(memory.QuotePath(path), "the run only committed it")
	}
	for _, l := range p.Stays {
		leave(memory.QuotePath(l.Path), l.Why)
	}
	for _, r := range p.Refused {
		what := r.Why
		if r.Path != "" {
			what = memory.QuotePath(r.Path) + ": " + r.Why
		}
		s.printf("  %s  %s\n", s.style("1;31", "refused"), cleanLine(what))
	}
	switch {
	case !p.Done() || u.onlyOpen() || len(p.Stays) > 0:
	case len(u.open.paths) > 0:
		s.printf("  nothing else of it is left to take back\n")
	case p.Empty() && len(u.swept()) == 0 && !u.entry.IsUndone():
		s.printf("  it changed no file that could be taken back\n")
	default:
		s.printf("  nothing of it is left to take back\n")
	}
}

// tell says what was done, and what stays.
func (u *undoing) tell(commit string, done bool) {
	s, id := u.site, memory.ShortID(u.entry.ID)
	if u.plan.Aside != "" {
		s.say("files that were nowhere else are kept in %s", cleanLine(u.plan.Aside))
	}
	switch {
	case commit != "":
		s.say("took run %s back with commit %s", id, shortCommit(commit))
	case !done:
		s.say("took run %s back", id)
	}
	if n := len(u.open.paths); n > 0 {
		s.say("left alone what may be somebody else's: %s", plural.Count(n, "path"))
		s.hint("'agentflow undo %s --possible' takes that back too", id)
		return
	}
	if commit != "" || !done {
		s.hint("'agentflow diff %s%s | git apply' makes its changes again", id, u.possibleFlag())
	}
}

// possibleFlag is what diff needs to show all that was taken back.
func (u *undoing) possibleFlag() string {
	if slices.ContainsFunc(changesOf(u.entry), func(c memory.Change) bool { return !c.Certainty.Sure() }) {
		return " --possible"
	}
	return ""
}

// message is that of the commit that takes the run's back, as git revert
// writes it, and of what stays of them.
func (u *undoing) message(ctx context.Context, ids []string) string {
	ids = slices.Clone(ids)
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
	if swept := u.swept(); len(swept) > 0 {
		b.WriteString("\nNot reverted, for the run only committed it:\n")
		for _, path := range swept {
			fmt.Fprintf(&b, "- %s\n", memory.QuotePath(path))
		}
	}
	return b.String()
}

// staysAsIs says how many files an undo leaves alone.
func staysAsIs(files int) string {
	if files == 1 {
		return "1 file stays as it is"
	}
	return fmt.Sprintf("%d files stay as they are", files)
}

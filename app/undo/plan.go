package undo

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/run"
	"agentflow/gitwatch"
	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/undo"
	"agentflow/internal/lists"
	"agentflow/memory"
	"agentflow/memory/changeset"
)

// choose plans the changes that are surely the run's, the possible ones that the
// request includes, and those of the paths in also. It finds out which changes
// stay.
func (u *Plan) choose(ctx context.Context, also map[string]bool) (err error) {
	chosen := func(c edits.Change) bool {
		return c.Claim() == edits.ByRun || c.Claim() == edits.Uncertain && (u.takePossible || also[c.Path])
	}
	if u.steps != nil {
		if err := u.steps.Close(); err != nil {
			return err
		}
	}
	taken := u.edits.Those(chosen)
	if u.steps, u.commits, err = u.planFor(ctx, taken); err != nil {
		return err
	}
	u.none, u.Helps, u.Why = len(taken.All()) == 0, false, map[string]string{}
	u.Possible, u.PossibleCommits = []string{}, []changeset.Commit{}
	rest := u.edits.Those(func(c edits.Change) bool { return c.Claim() == edits.Uncertain && !chosen(c) })
	if len(rest.All()) > 0 {
		err = u.lookAtPossible(ctx, rest.All())
	}
	u.sum()
	return err
}

func (u *Plan) sum() {
	p := u.steps
	u.Restore, u.Remove, u.Unstage = lists.Filled(p.Restore), lists.Filled(p.Remove), lists.Filled(p.Unstage)
	leftOut := func(r undo.Refusal) api.LeftOut { return api.LeftOut(r) }
	u.Swept, u.Refused, u.Stays = lists.Filled(u.onlyCommitted()), lists.Mapped(p.Refused, leftOut), lists.Mapped(p.Stays, leftOut)
	u.refuseCommitted()
	u.Elsewhere = lists.Mapped(u.entry.Elsewhere.Items, func(c changeset.Change) string { return c.Path })
	u.Revert = []changeset.Commit{}
	if p.Revert {
		u.Revert = lists.Filled(u.commits)
	}
	u.OnlyPossible = u.none && len(u.Possible) > 0
	u.NothingLeft = p.Done()
	u.Done = u.NothingLeft && len(p.Stays) == 0 && !u.OnlyPossible
	u.Nothing = p.Empty() && len(u.Swept) == 0 && !u.entry.IsUndone()
}

// refuseCommitted refuses the paths that HEAD has, by a later commit, as the run left them: undo
// would take them out of the work tree only, and the entry would be marked as undone.
func (u *Plan) refuseCommitted() {
	for _, c := range u.inHead {
		for _, path := range c.Paths {
			taken := func(other string) bool { return other == path }
			if !slices.ContainsFunc(slices.Concat(u.Restore, u.Remove, u.Unstage), taken) {
				continue
			}
			u.Restore, u.Remove, u.Unstage = slices.DeleteFunc(u.Restore, taken), slices.DeleteFunc(u.Remove, taken), slices.DeleteFunc(u.Unstage, taken)
			u.Refused = append(u.Refused, api.LeftOut{Path: path, Why: fmt.Sprintf("HEAD has it: it was committed later as %.12s", c.ID)})
			u.Helps, u.hint = false, fmt.Sprintf("'git revert %.12s' takes the commit back", c.ID)
		}
	}
}

// lookAtPossible finds out which changes that are only possibly the run's
// still exist, by a plan for all of them.
func (u *Plan) lookAtPossible(ctx context.Context, possible []edits.Change) error {
	whole, commits, err := u.planFor(ctx, u.edits.Those(func(c edits.Change) bool { return c.Claim() != edits.OnlyCommitted }))
	if err != nil {
		return err
	}
	left := whole.Left()
	isLeft := func(path string) bool {
		_, is := slices.BinarySearch(left, path)
		return path != "" && is
	}
	for _, c := range possible {
		if isLeft(c.Path) || isLeft(c.OldPath) {
			u.Possible = append(u.Possible, c.Path)
			u.Why[c.Path] = whyItStays(c.Certainty.Sure())
		}
	}
	slices.Sort(u.Possible)
	u.Possible = slices.Compact(u.Possible)
	u.Helps = len(whole.Refused) == 0
	if whole.Revert {
		sure := slices.ContainsFunc(u.edits.Committed, func(c edits.Change) bool { return c.Certainty.Sure() })
		for _, c := range commits {
			if !slices.Contains(u.commits, c) {
				u.PossibleCommits = append(u.PossibleCommits, c)
				u.Why[c.ID] = whyItStays(sure && slices.Contains(u.entry.Commits, c))
			}
		}
	}
	return whole.Close()
}

// whyItStays says why a change stays; sure is whether it is surely the run's.
func whyItStays(sure bool) string {
	if sure {
		return "somebody else's change may be in it"
	}
	return "only possibly the run's"
}

// planFor plans to take some of the edits back, and returns the commits of those
// edits, the newest first.
func (u *Plan) planFor(ctx context.Context, list run.RunEdits) (*undo.Plan, []changeset.Commit, error) {
	commits := u.commitsOf(list.Committed)
	ids := run.CommitsNow(ctx, u.mem, u.entry, commits)
	plan, err := undo.New(ctx, u.repo, undo.Request{
		Dir: list.Dir, Temp: u.temp, Edits: list.Uncommitted, Committed: list.Committed, Moved: list.Moved,
		Commits: ids, From: gitwatch.Origin{Base: u.entry.Base, Branch: u.entry.Branch}, Message: u.message(ctx, ids),
	})
	slices.Reverse(commits)
	return plan, commits, err
}

// commitsOf returns the commits of the run's committed edits, oldest first. If no
// committed edit is surely the run's, its commits are listed as the possible ones
// are.
func (u *Plan) commitsOf(committed []edits.Change) []changeset.Commit {
	sure := func(c edits.Change) bool { return c.Certainty.Sure() }
	open := slices.ContainsFunc(committed, func(c edits.Change) bool { return !sure(c) })
	var out []changeset.Commit
	if slices.ContainsFunc(committed, sure) || open && !slices.ContainsFunc(u.edits.Committed, sure) {
		out = append(out, u.entry.Commits...)
	}
	if open {
		out = append(out, u.entry.PossibleCommits...)
	}
	return out
}

// message returns the message of the commit that reverts the run's commits, in the form of
// git revert, with the paths that stay.
func (u *Plan) message(ctx context.Context, ids []string) string {
	ids = slices.Clone(ids)
	slices.Reverse(ids)
	title := u.entry.Title
	if len(ids) == 1 {
		if subject := u.repo.Subjects(ctx, ids)[ids[0]]; subject != "" {
			title = subject
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Revert \"%s\"\n\n", app.CleanLine(title))
	for _, id := range ids {
		fmt.Fprintf(&b, "This reverts commit %s.\n", id)
	}
	if swept := u.onlyCommitted(); len(swept) > 0 {
		b.WriteString("\nNot reverted, for the run only committed it:\n")
		for _, path := range swept {
			fmt.Fprintf(&b, "- %s\n", memory.QuotePath(path))
		}
	}
	return b.String()
}

package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"agentflow/gitwatch"
	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/undo"
	"agentflow/memory"
)

// openEdits are what undo leaves alone until somebody says that it is the
// run's.
type openEdits struct {
	paths   []string          // that are not as they were before the run, sorted
	why     map[string]string // why each is left alone
	commits []memory.Commit   // that are only possibly the run's, the newest first
	all     bool              // there is nothing else to take back
	helps   bool              // with them, nothing would be refused
}

// choose makes the plan for what is surely the run's, for what --possible
// says, and for the paths in also. It finds out what that leaves alone.
func (u *undoing) choose(ctx context.Context, also map[string]bool) error {
	chosen := func(c edits.Change) bool {
		agreed := u.possible || also[c.Path]
		return c.Claim() == edits.Own || c.Claim() == edits.Open && agreed
	}
	if u.plan != nil {
		if err := u.plan.Close(); err != nil {
			return err
		}
	}
	mine := u.edits.those(chosen)
	var err error
	if u.plan, u.commits, err = u.planFor(ctx, mine); err != nil {
		return err
	}
	u.open = openEdits{all: len(mine.all()) == 0}
	rest := u.edits.those(func(c edits.Change) bool { return c.Claim() == edits.Open && !chosen(c) })
	if len(rest.all()) == 0 {
		return nil
	}
	return u.lookAtOpen(ctx, rest.all())
}

// lookAtOpen finds out which open edits are still there, by the plan for all.
func (u *undoing) lookAtOpen(ctx context.Context, open []edits.Change) error {
	whole, commits, err := u.planFor(ctx, u.edits.those(func(c edits.Change) bool { return c.Claim() != edits.OnlyCommitted }))
	if err != nil {
		return err
	}
	left := whole.Left()
	isLeft := func(path string) bool {
		_, is := slices.BinarySearch(left, path)
		return path != "" && is
	}
	u.open.why = map[string]string{}
	for _, c := range open {
		if isLeft(c.Path) || isLeft(c.OldPath) {
			u.open.why[c.Path] = whyOpen(c)
		}
	}
	u.open.paths = slices.Sorted(maps.Keys(u.open.why))
	u.open.helps = len(whole.Refused) == 0
	if whole.Revert {
		u.open.commits = slices.DeleteFunc(commits, func(c memory.Commit) bool { return slices.Contains(u.commits, c) })
	}
	return whole.Close()
}

// whyOpen says why an edit is left alone.
func whyOpen(c edits.Change) string {
	if c.Certainty.Sure() {
		return "somebody else's change may be in it"
	}
	return "only possibly the run's"
}

// whyOpenCommit says why a commit is left alone.
func (u *undoing) whyOpenCommit(c memory.Commit) string {
	sure := slices.ContainsFunc(u.edits.committed, func(c edits.Change) bool { return c.Certainty.Sure() })
	if sure && slices.Contains(u.entry.Commits, c) {
		return "somebody else's change may be in it"
	}
	return "only possibly the run's"
}

// planFor plans to take some of the edits back, and says which commits those
// are of, the newest first.
func (u *undoing) planFor(ctx context.Context, list runEdits) (*undo.Plan, []memory.Commit, error) {
	commits := u.commitsOf(list.committed)
	ids := u.site.commitsNow(ctx, u.entry, commits)
	plan, err := undo.New(ctx, u.repo, undo.Request{
		Dir: list.dir, Temp: u.temp, Edits: list.uncommitted, Committed: list.committed, Moved: list.moved,
		Commits: ids, From: gitwatch.Origin{Base: u.entry.Base, Branch: u.entry.Branch}, Message: u.message(ctx, ids),
	})
	slices.Reverse(commits)
	return plan, commits, err
}

// commitsOf are the commits that some of the run's edits are of, oldest first.
// Where none of what was committed is surely the run's, its commits are no
// surer than the possible ones.
func (u *undoing) commitsOf(committed []edits.Change) []memory.Commit {
	sure := func(c edits.Change) bool { return c.Certainty.Sure() }
	open := slices.ContainsFunc(committed, func(c edits.Change) bool { return !sure(c) })
	var out []memory.Commit
	if slices.ContainsFunc(committed, sure) || open && !slices.ContainsFunc(u.edits.committed, sure) {
		out = append(out, u.entry.Commits...)
	}
	if open {
		out = append(out, u.entry.PossibleCommits...)
	}
	return out
}

// swept are the paths that the run only committed.
func (u *undoing) swept() []string {
	var out []string
	for _, c := range u.edits.all() {
		if c.Claim() == edits.OnlyCommitted && !slices.Contains(out, c.Path) {
			out = append(out, c.Path)
		}
	}
	slices.Sort(out)
	return out
}

// onlyOpen says that all there is to take back may be somebody else's.
func (u *undoing) onlyOpen() bool { return u.open.all && len(u.open.paths) > 0 }

// needsLost says whether what the run left uncommitted is needed, though it is
// not kept: it is surely the run's, or asked for, or all there is.
func (u *undoing) needsLost() bool {
	sure := slices.ContainsFunc(u.entry.Uncommitted.Items, func(c memory.Change) bool { return c.Certainty.Sure() })
	return sure || u.possible || len(u.edits.committed) == 0
}

// maxAsked is how many paths a terminal asks for.
const maxAsked = 20

// askEach asks on a terminal for each path that is left alone, and plans anew
// with those that are the run's.
func (u *undoing) askEach(ctx context.Context) error {
	s := u.site
	quiet := u.yes || u.dryRun || u.asJSON || !s.inTTY || !s.errTTY
	if quiet || len(u.open.paths) == 0 || len(u.open.paths) > maxAsked || len(u.plan.Refused) > 0 && !u.open.helps {
		return nil
	}
	also := map[string]bool{}
	for _, path := range u.open.paths {
		if s.agreed(fmt.Sprintf("%s: %s; take it back too?", memory.QuotePath(path), u.open.why[path])) {
			also[path] = true
		}
	}
	if len(also) == 0 {
		return nil
	}
	if err := u.choose(ctx, also); err != nil {
		return err
	}
	u.show()
	return nil
}

// refuse says why nothing is taken back.
func (u *undoing) refuse() error {
	id := memory.ShortID(u.entry.ID)
	possible := fmt.Sprintf("'agentflow undo %s --possible' takes that back too", id)
	switch {
	case len(u.plan.Refused) > 0 && u.open.helps:
		return &Error{Kind: KindRefused, Err: errors.New("it cannot be taken back without what may be somebody else's; nothing was changed"), Hint: possible}
	case len(u.plan.Refused) > 0:
		hint := cmp.Or(u.plan.Hint, "'agentflow diff "+id+"' prints what it changed")
		return &Error{Kind: KindRefused, Err: errors.New("it cannot be taken back; nothing was changed"), Hint: hint}
	case u.onlyOpen():
		return &Error{Kind: KindRefused, Err: errors.New("nothing of it is surely the run's alone; nothing was taken back"), Hint: possible}
	}
	return nil
}

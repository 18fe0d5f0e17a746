package gitwatch

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/objects"
	"agentflow/gitwatch/reflog"
	"agentflow/gitwatch/toolcalls"
)

// history lists the changes of the history since the start.
type history struct {
	made     []*objects.Commit // made by the run, oldest first
	possible []*objects.Commit // perhaps made by a call of the run: git traced no process that made them
	others   []*objects.Commit // new on the checked-out branch, made by others
	aside    []*objects.Commit // new on other branches or in the stash, made by others
	pulled   int               // new on the checked-out branch, brought from elsewhere
	lost     int               // were on the checked-out branch at the start, nowhere now

	rewritten bool // the branch of the start, or a detached HEAD, is still checked out, and its start commit is no longer reachable from it
}

// commitsSince sorts the commits that are new since the start.
func (r *Repo) commitsSince(ctx context.Context, o *objects.Reader, start, end *snapshot, ev Evidence) (h *history, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("read history: %w", err)
		}
	}()
	walk := func(from, to []git.ID) (list []*objects.Commit) {
		if err == nil {
			list, err = o.NewCommits(ctx, from, to)
		}
		return list
	}
	fresh := walk(tipsOf(start, ""), tipsOf(end, git.BranchPrefix))
	lost := walk(tipsOf(end, "refs/"), tipsOf(start, git.BranchPrefix))
	// More commits than the lost ones may be left behind: a rebase leaves its originals on a tag,
	// or on the remote's branch.
	left := walk([]git.ID{end.head()}, tipsOf(start, git.BranchPrefix))
	if err != nil {
		return nil, err
	}
	moves, traced, err := r.moves(ctx, ev, len(fresh) > 0)
	if err != nil {
		return nil, err
	}
	byID := objects.ByID(fresh)
	h = &history{}
	byRun := map[git.ID]bool{}
	made := reflog.MadeBy(moves)
	for _, c := range objects.OldestFirst(fresh) {
		m, ok := made[c.ID]
		switch recent := c.Time >= ev.Started.Add(-reflog.ClockSlack).Unix(); {
		case !ok || !recent && !(traced && m.Commits()):
		case traced:
			byRun[c.ID] = true
			h.made = append(h.made, c)
		default:
			h.possible = append(h.possible, c)
		}
	}
	h.lost = len(objects.Ancestors(objects.ByID(lost), []git.ID{start.head()}))
	h.rewritten = start.Branch == end.Branch && objects.ByID(left)[start.head()] != nil
	copies := rebaseOriginals(h.made, made, left)
	for _, c := range h.made {
		c.Amends, c.CopyOf = amended(c.ID, made), copies[c.ID]
	}
	brought := objects.Ancestors(byID, append(reflog.BroughtBy(moves), mergedIn(h.made, byID, end)...))
	here := objects.Ancestors(byID, []git.ID{end.head()})
	for _, c := range objects.OldestFirst(fresh) {
		switch {
		case byRun[c.ID]:
		case !here[c.ID]:
			h.aside = append(h.aside, c)
		case brought[c.ID]:
			h.pulled++
		default:
			h.others = append(h.others, c)
		}
	}
	gone, err := amendedByRun(ctx, o, start, h.made)
	for _, c := range gone {
		if !here[c.ID] {
			h.others = append(h.others, c)
		}
	}
	h.others = objects.OldestFirst(h.others)
	return h, err
}

// moves returns the run's ref updates, from git's trace of its processes. Without a trace the run
// moved nothing, provided that this git writes traces and no call of the run names git. Otherwise
// the moves in HEAD's reflog may be the run's. ask is false if the answer is not needed.
func (r *Repo) moves(ctx context.Context, ev Evidence, ask bool) (moves []reflog.Move, traced bool, err error) {
	moves, wrote, err := reflog.ReadTrace(ev.Dir)
	if err != nil || !ask || !ev.Untraced && (wrote || ev.Shared || ev.Recovered) {
		return moves, true, err
	}
	within := []toolcalls.Call{{Began: ev.Started, Ended: ev.Ended}}
	if ev.Tells {
		within = slices.DeleteFunc(slices.Clone(ev.Calls), func(c toolcalls.Call) bool { return !c.Git })
	}
	if len(within) == 0 || !ev.Tells && !ev.Untraced && reflog.Works(ctx, r.at.Top, ev.Dir) {
		return nil, true, nil
	}
	entries, err := r.reflog(ctx)
	for _, c := range within {
		from, to := c.Began.Add(-reflog.ClockSlack), cmp.Or(c.Ended, ev.Ended).Add(reflog.ClockSlack)
		for _, e := range entries {
			if !e.Time.Before(from) && !e.Time.After(to) {
				moves = append(moves, e.Move)
			}
		}
	}
	return moves, false, err
}

// mergedIn returns the tips that the run merged from a remote: by pull, or from a remote-tracking
// branch.
func mergedIn(own []*objects.Commit, fresh map[git.ID]*objects.Commit, end *snapshot) []git.ID {
	var remote []git.ID
	for _, ref := range end.Refs {
		if strings.HasPrefix(string(ref.Name), "refs/remotes/") {
			remote = append(remote, git.KnownID(ref.ID))
		}
	}
	onRemote := objects.Ancestors(fresh, remote)
	var out []git.ID
	for _, c := range own {
		for _, p := range c.Parents[min(1, len(c.Parents)):] {
			if onRemote[p] || strings.HasPrefix(c.Subject, "Merge branch '") && strings.Contains(c.Subject, "' of ") {
				out = append(out, p)
			}
		}
	}
	return out
}

// reflog reads the reflog of the work tree's HEAD, for a git that writes no ref trace. It does not
// read the branches' reflogs, because other work trees write them too.
func (r *Repo) reflog(ctx context.Context) ([]reflog.Entry, error) {
	if r.removed {
		return nil, nil
	}
	if !r.at.Reftable {
		return reflog.OfHead(r.at.GitDir)
	}
	if _, commit, err := r.Head(ctx); err != nil || commit == "" {
		return nil, err
	}
	return reflog.OfHeadByGit(ctx, r.at.Top)
}

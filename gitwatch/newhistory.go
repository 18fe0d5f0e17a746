package gitwatch

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"agentflow/gitwatch/calls"
	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/reflog"
)

// newHistory is what happened to the commits since the start.
type newHistory struct {
	own    []*commitInfo // made by the run, oldest first
	maybe  []*commitInfo // that a call of the run may have made: nothing traced who did
	others []*commitInfo // new on what is checked out, made by somebody else
	pulled int           // new on what is checked out, brought from elsewhere
	lost   int           // on what was checked out at the start, nowhere now

	rewritten bool // the branch of the start, or none, is still checked out and no longer leads to where it stood
}

// commitsSince sorts the commits that are new since the start.
func (r *Repo) commitsSince(ctx context.Context, o *objects, start, end *snapshot, ev Evidence) (*newHistory, error) {
	fresh, err := o.newCommits(ctx, tips(start, ""), tips(end, git.BranchPrefix))
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	moves, traced, err := r.moves(ctx, ev, len(fresh) > 0)
	if err != nil {
		return nil, err
	}
	byID := byHash(fresh)
	h := &newHistory{}
	isOwn := map[git.ID]bool{}
	made := reflog.MadeBy(moves)
	for _, c := range oldestFirst(fresh) {
		m, ok := made[c.id]
		switch recent := c.time >= ev.Started.Add(-reflog.ClockSlack).Unix(); {
		case !ok || !recent && !(traced && m.Commits()):
		case traced:
			isOwn[c.id] = true
			h.own = append(h.own, c)
		default:
			h.maybe = append(h.maybe, c)
		}
	}
	lost, err := o.lost(ctx, start, end)
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	h.lost = len(ancestors(byHash(lost), []git.ID{start.head()}))
	left, err := o.left(ctx, start, end)
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	h.rewritten = start.Branch == end.Branch && byHash(left)[start.head()] != nil
	copies := originals(h.own, made, left)
	for _, c := range h.own {
		c.amends, c.copies = amended(c.id, made), copies[c.id]
	}
	brought := ancestors(byID, append(reflog.BroughtBy(moves), mergedIn(h.own, byID, end)...))
	here := ancestors(byID, []git.ID{end.head()})
	for _, c := range oldestFirst(fresh) {
		switch {
		case isOwn[c.id] || !here[c.id]:
		case brought[c.id]:
			h.pulled++
		default:
			h.others = append(h.others, c)
		}
	}
	gone, err := o.amendedOthers(ctx, start, h.own)
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	for _, c := range gone {
		if !here[c.id] {
			h.others = append(h.others, c)
		}
	}
	h.others = oldestFirst(h.others)
	return h, nil
}

// moves are the run's ref updates, by git's trace of its processes. Where there
// is none, an empty one says that the run moved nothing, if git traces at all
// and no call of the run says that it ran git. Else the moves in HEAD's reflog
// may be the run's. ask is false where it need not be known.
func (r *Repo) moves(ctx context.Context, ev Evidence, ask bool) (moves []reflog.Move, traced bool, err error) {
	moves, wrote, err := reflog.ReadTrace(ev.Dir)
	if err != nil || wrote || ev.Shared || ev.Recovered || !ask {
		return moves, true, err
	}
	within := []calls.Call{{Began: ev.Started, Ended: ev.Ended}}
	if ev.Tells {
		within = slices.DeleteFunc(slices.Clone(ev.Calls), func(c calls.Call) bool { return !c.Git })
	}
	if len(within) == 0 || !ev.Tells && reflog.Works(ctx, r.at.top, ev.Dir) {
		return nil, true, nil
	}
	for _, c := range within {
		some, err := r.readReflog(ctx, c.Began, cmp.Or(c.Ended, ev.Ended))
		if err != nil {
			return nil, false, err
		}
		moves = append(moves, some...)
	}
	return moves, false, nil
}

// mergedIn are the tips that merges of the run brought from elsewhere: by
// pull, or from a remote's branch.
func mergedIn(own []*commitInfo, fresh map[git.ID]*commitInfo, end *snapshot) []git.ID {
	var remote []git.ID
	for _, ref := range end.Refs {
		if strings.HasPrefix(string(ref.Name), "refs/remotes/") {
			remote = append(remote, git.KnownID(ref.ID))
		}
	}
	onRemote := ancestors(fresh, remote)
	var out []git.ID
	for _, c := range own {
		for _, p := range c.parents[min(1, len(c.parents)):] {
			if onRemote[p] || strings.HasPrefix(c.subject, "Merge branch '") && strings.Contains(c.subject, "' of ") {
				out = append(out, p)
			}
		}
	}
	return out
}

// tips are HEAD and the references below a prefix.
func tips(s *snapshot, prefix string) []git.ID {
	out := []git.ID{s.head()}
	for _, ref := range s.Refs {
		if strings.HasPrefix(string(ref.Name), prefix) {
			out = append(out, git.KnownID(ref.ID))
		}
	}
	return out
}

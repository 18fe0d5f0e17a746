package gitwatch

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/internal/attribution"
	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/objects"
	"agentflow/gitwatch/reflog"
	"agentflow/gitwatch/toolcalls"
)

// A change that a file tool of the run made is the run's, even if another person has committed,
// stashed or discarded it before the run ends.

// holding is one path in a commit that the run did not make.
type holding struct {
	objects.Change
	commit *objects.Commit
	aside  bool // the commit is on another branch or in the stash
	stash  bool
}

// findHoldings finds the paths that were changed by commits that the run did not make.
func (c *comparison) findHoldings(ctx context.Context, h *history) error {
	c.holdings = map[string][]holding{}
	if !c.ev.Tells || len(c.judge.Calls.All) == 0 {
		return nil
	}
	stashed, err := c.repo.stashed(ctx, c.objects, c.start, c.end)
	add := func(commits []*objects.Commit, of holding) {
		for _, commit := range commits {
			var changes []objects.Change
			if err != nil || commit.Time < c.ev.Started.Add(-reflog.ClockSlack).Unix() {
				continue
			}
			changes, err = c.objects.CommitChanges(ctx, commit)
			for _, ch := range changes {
				of.Change, of.commit = ch, commit
				c.holdings[ch.Path] = append(c.holdings[ch.Path], of)
			}
		}
	}
	add(h.others, holding{})
	add(h.aside, holding{aside: true})
	add(stashed, holding{aside: true, stash: true})
	return err
}

// stashed lists the commits of the stash that are new since the start, oldest first. Each entry has
// one for the work tree, one for the index and perhaps one for untracked files.
func (r *Repo) stashed(ctx context.Context, o *objects.Reader, start, end *snapshot) ([]*objects.Commit, error) {
	const ref = "refs/stash"
	entries, err := reflog.Tail(filepath.Join(r.at.CommonDir, "logs", ref), reflog.MaxHead)
	if err != nil {
		return nil, err
	}
	var tips []git.ID
	for _, e := range entries {
		tips = append(tips, e.New)
	}
	for _, known := range end.Refs {
		if known.Name == ref {
			tips = append(tips, git.KnownID(known.ID))
		}
	}
	if len(tips) == 0 {
		return nil, nil
	}
	found, err := o.NewCommits(ctx, slices.Concat(tipsOf(start, ""), tipsOf(end, git.BranchPrefix)), tips)
	return objects.OldestFirst(found), err
}

// locate finds the text that the file tools of the run left at a path, if it is not simply in the
// work tree at the end. l is the change of the work tree and moved says that there is one. rest is
// the part of it that another person made later.
func (c *comparison) locate(l listedChange, start objects.File, moved bool) (_ listedChange, _ bool, rest *listedChange) {
	w, wrote := c.judge.Written(l.Path)
	_, dirty := c.end.dirty[l.Path]
	if !wrote || l.letter != 0 {
		if list := c.holdings[l.Path]; !dirty && moved && len(list) > 0 && !c.touched[l.Path] {
			l.elsewhere = c.placeOf(l.Path, w, &list[len(list)-1])
		}
		return l, moved, nil
	}
	committed := c.committedText(l.Path)
	inTree := c.contents.textID(l.Path, l.After)() == w.After
	switch {
	case w.After != "" && committed() == w.After:
		return l, moved, nil // a commit of the run holds it
	case dirty && (w.After == "" || w.Commanded || inTree):
		return c.partly(l, start, w), moved, nil
	case !dirty && w.Nothing() || w.Commanded && !moved:
		return l, false, nil
	}
	h, exact := c.holder(l.Path, w)
	switch {
	case dirty && !exact:
		return l, moved, nil // another person changed it afterwards, in the work tree
	case h == nil && w.After == "":
		return l, moved && c.isDirty(l.Path), nil // otherwise only HEAD moved
	case h != nil:
		return c.heldBy(h, l, start, w)
	case !w.Changes() || c.judge.TookBack(c.toJudge(l.Change, start, l.After.Exists())):
		return l, false, nil
	}
	return c.vanished(l, start, w), true, nil
}

// heldBy returns the change up to the commit that holds the text that the file tools of the run
// left. rest is a later change by another person in the work tree.
func (c *comparison) heldBy(h *holding, l listedChange, start objects.File, w attribution.Written) (_ listedChange, moved bool, rest *listedChange) {
	if _, dirty := c.end.dirty[l.Path]; dirty {
		now := l
		now.Before, now.elsewhere = h.After, nil
		rest = &now
	}
	l.Before, l.After = c.foundBefore(l.Path, start, w, h), h.After
	l.elsewhere = c.placeOf(l.Path, w, h)
	return l, !l.Before.Same(l.After), rest
}

// vanished returns a change that is neither in the work tree nor in a commit.
func (c *comparison) vanished(l listedChange, start objects.File, w attribution.Written) listedChange {
	l.Before, l.After = c.foundBefore(l.Path, start, w, nil), objects.File{Mode: git.ModeFile, Unknown: true}
	if w.After == toolcalls.NoText {
		l.After = objects.File{}
	}
	l.elsewhere = &edits.Elsewhere{}
	return l
}

// partly handles a change that another person committed in part. It makes the change begin where
// the run's file tools began.
func (c *comparison) partly(l listedChange, start objects.File, w attribution.Written) listedChange {
	i := slices.IndexFunc(c.holdings[l.Path], func(h holding) bool {
		return !h.aside && h.After.Same(l.Before) && h.commit.Time >= w.Began.Unix()
	})
	if i < 0 || c.touched[l.Path] {
		return l
	}
	if before := c.foundBefore(l.Path, start, w, nil); !before.Same(l.Before) {
		l.Before, l.elsewhere = before, c.placeOf(l.Path, w, &c.holdings[l.Path][i])
		l.elsewhere.Part = true
	}
	return l
}

// holder finds the commit that holds the text that the file tools of the run left at a path. exact
// reports that it holds exactly that, or that the text is unknown. Otherwise it is the first commit
// of the path after they wrote it.
func (c *comparison) holder(path string, w attribution.Written) (h *holding, exact bool) {
	list := c.holdings[path]
	for i := range list {
		if w.After != "" && c.contents.textID(path, list[i].After)() == w.After {
			return &list[i], true
		}
	}
	for i := range list {
		found := w.Before != "" && c.contents.textID(path, list[i].After)() == w.Before // it is from before the tools wrote
		if !list[i].aside && !found && list[i].commit.Time >= w.Began.Unix() {
			return &list[i], w.After == ""
		}
	}
	return nil, false
}

// foundBefore returns the file that the file tools of the run found at a path, or the file at the
// start if that is unknown. h is the commit that holds the text they left.
func (c *comparison) foundBefore(path string, start objects.File, w attribution.Written, h *holding) objects.File {
	if c.touched[path] {
		if i := slices.IndexFunc(c.byRun, func(n objects.NetChange) bool { return n.Path == path }); i >= 0 {
			return c.byRun[i].After
		}
	}
	if _, dirty := c.start.dirty[path]; w.Before == "" && h != nil && !dirty {
		return h.Before
	}
	candidates := []objects.File{start}
	for _, h := range c.holdings[path] {
		candidates = append(candidates, h.Before, h.After)
	}
	for _, f := range candidates {
		if w.Before != "" && c.contents.textID(path, f)() == w.Before {
			return f
		}
	}
	return start
}

// placeOf names the commits that took over the text that the file tools of the run wrote: the
// checked-out commits of the path up to the last one, or the one on another branch or in the stash.
func (c *comparison) placeOf(path string, w attribution.Written, last *holding) *edits.Elsewhere {
	place := &edits.Elsewhere{Stash: last.stash}
	for _, h := range c.holdings[path] {
		found := w.Before != "" && c.contents.textID(path, h.After)() == w.Before
		if !last.aside && !h.aside && !found && h.commit != last.commit && h.commit.Time >= w.Began.Unix() {
			place.Commits = append(place.Commits, h.commit.ID.String())
		}
		if h.commit == last.commit {
			break
		}
	}
	place.Commits = append(place.Commits, last.commit.ID.String())
	return place
}

// committedText returns the text that the run's commits gave a path.
func (c *comparison) committedText(path string) func() string {
	for _, n := range c.byRun {
		if n.Path == path {
			return c.contents.textID(path, n.After)
		}
	}
	return func() string { return "" }
}

// taken lists the commits of another person that hold only changes of the run, and have no message but a
// subject. They need no entry next to the run's.
func (c *comparison) taken() (list []*objects.Commit) {
	whole := map[*objects.Commit]bool{}
	for path, holdings := range c.holdings {
		for _, h := range holdings {
			ours := slices.ContainsFunc(c.uncommitted, func(l listedChange) bool {
				return l.Path == path && l.elsewhere != nil && !l.elsewhere.Part && l.Mixed == edits.MixedNo && l.Certainty.Sure() &&
					slices.Contains(l.elsewhere.Commits, h.commit.ID.String())
			})
			if known, seen := whole[h.commit]; !seen || known {
				whole[h.commit] = ours && !h.stash && strings.TrimSpace(h.commit.Body) == ""
			}
		}
	}
	for commit, ours := range whole {
		if ours {
			list = append(list, commit)
		}
	}
	return objects.OldestFirst(list)
}

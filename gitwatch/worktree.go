package gitwatch

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strings"

	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/objects"
	"agentflow/memory/changeset"
)

func (c *comparison) workTree(ctx context.Context) {
	err := c.findEdits(ctx)
	if err == nil {
		c.set.Uncommitted.Items, err = c.contents.list(ctx, c.uncommitted)
	}
	if err == nil {
		c.set.Meanwhile.Items = c.meanwhile()
		c.listOnce()
	}
	var problems []string
	if err != nil {
		problems = append(problems, git.OneLine(err.Error()))
	}
	if len(c.start.Unread) > 0 {
		problems = append(problems, "at the start: "+c.start.Unread.String())
	}
	if len(c.end.Unread) > 0 {
		problems = append(problems, c.end.Unread.String())
	}
	why := strings.Join(problems, "; ")
	c.set.Uncommitted.Unread, c.set.Meanwhile.Unread = why, why
	if c.historyErr != nil && why == "" {
		c.set.Meanwhile.Unread = git.OneLine(c.historyErr.Error())
	}
}

// findEdits sorts the paths that changed in the work tree into the run's edits and those of others.
func (c *comparison) findEdits(ctx context.Context) error {
	committed := map[string]bool{} // those that did not end as they began
	for _, n := range c.byRun {
		committed[n.Path] = true
	}
	paths, err := c.claimedPaths()
	if err != nil {
		return err
	}
	for _, d := range slices.Concat(c.start.Dirty, c.end.Dirty) {
		paths = append(paths, string(d.Path))
	}
	slices.Sort(paths)
	var uncommitted, beside []listedChange
	for _, path := range slices.Compact(paths) {
		if c.start.Unread.Holds(path) || c.end.Unread.Holds(path) {
			continue // it is reported as unread only
		}
		l, start, moved, err := c.edit(ctx, path, committed[path])
		if err != nil {
			return err
		}
		l, moved, rest := c.locate(l, start, moved)
		if rest != nil {
			beside = append(beside, *rest)
		}
		if !moved {
			continue
		}
		l.Verdict = c.judge.Verdict(c.toJudge(l.Change, start, l.After.Exists() || l.letter != 0))
		if start.Unknown && l.Certainty != "" && l.Mixed == edits.MixedNo {
			l.Mixed = edits.MixedUnknown // the earlier file is unknown
		}
		if start.Exists() && !l.Before.Exists() && l.Mixed == edits.MixedNo && c.mixed[path] != edits.MixedNo {
			l.Mixed = edits.MixedUnknown // others may have made git untrack it: it may be new only to git
		}
		switch {
		case !l.Certainty.Sure() && !c.isDirty(path): // a commit of other people, and nothing more
		case l.Certainty != "":
			uncommitted = append(uncommitted, l)
		default:
			beside = append(beside, l)
		}
	}
	c.uncommitted, c.beside = uncommitted, beside
	return nil
}

// listOnce removes the files that the run's file tools wrote from the changes of commits that are
// only possibly the run's. These files are listed with the commit that holds them.
func (c *comparison) listOnce() {
	written := map[string]bool{}
	for _, l := range c.uncommitted {
		written[l.Path] = l.elsewhere != nil && l.Certainty.Sure()
	}
	c.possible = slices.DeleteFunc(c.possible, func(n objects.NetChange) bool { return written[n.Path] })
	c.set.Changes.Items = slices.DeleteFunc(c.set.Changes.Items, func(ch changeset.Change) bool {
		return ch.Certainty == changeset.Possible && written[ch.Path]
	})
}

// edit finds the change of one path in the work tree beyond that of commits, and the file at the
// start. committed says that the run's commits changed the path.
func (c *comparison) edit(ctx context.Context, path string, committed bool) (l listedChange, start objects.File, moved bool, err error) {
	then, dirtyThen, err := c.start.at(c.objects, path)
	if err != nil {
		return listedChange{}, objects.File{}, false, err
	}
	now, dirtyNow, err := c.end.at(c.objects, path)
	if err != nil {
		return listedChange{}, objects.File{}, false, err
	}
	if !dirtyNow && dirtyThen && then.Now.Exists() && git.Kind(now.Head.Mode) != git.ModeGitlink && c.repo.tree.Gone(path) {
		now.Now = objects.File{} // assume-unchanged or skip-worktree hid that it is gone
	}
	if !dirtyNow && !now.Head.Exists() && c.end.Hidden.Holds(path) {
		if now.Now, _, err = c.repo.tree.OnDisk(path); err != nil {
			return listedChange{}, objects.File{}, false, err
		}
	}
	if c.start.NoModes && git.IsRegular(then.Now.Mode) && git.IsRegular(now.Now.Mode) {
		then.Now.Mode, now.Head.Mode = now.Now.Mode, now.Now.Mode // a setting may have changed, and not the file
	}
	l.Path, moved = path, !now.Now.Same(then.Now)
	if now.Unmerged {
		l.letter = changeset.StatusUnmerged
		return l, then.Now, moved || !then.Unmerged, nil
	}
	l.Before, l.After = then.Now, now.Now
	if then.Now.Unknown {
		l.note = notLookedAt
	}
	switch {
	case !dirtyNow:
		// It is now as in HEAD. Unless the run committed it, an earlier edit was undone, or an
		// untracked file was removed.
		left := c.repo.tree.LeftSubmodule(ctx, path, then.Now)
		moved = moved && !committed && !(left.Exists() && left.Same(then.Now))
	case c.touched[path]:
		l.Before = now.Head
		moved = moved || !dirtyThen
	case !dirtyThen:
		l.Before = now.Head // others may have committed it before the run's edit
	}
	return l, then.Now, moved, nil
}

// addUnseenFiles adds to the start the paths that git did not look at then and looks at now, for
// example because the run edited .gitignore. The contents of a file are known if it has not changed
// since.
func (c *comparison) addUnseenFiles() error {
	paths := map[string]bool{}
	for _, d := range c.end.Dirty {
		paths[string(d.Path)] = true
	}
	for path := range c.touched {
		paths[path] = true
	}
	for path := range paths {
		then, dirty, err := c.start.at(c.objects, path)
		if err != nil {
			return err
		}
		if dirty || then.Now.Exists() || !c.start.Hidden.Holds(path) {
			continue
		}
		if then.Now, err = c.unseenAtStart(path); err != nil {
			return err
		}
		then.Path = git.Name(path)
		c.start.dirty[path] = then
	}
	return nil
}

// unseenAtStart returns the file that was at a path that git did not look at at the start.
func (c *comparison) unseenAtStart(path string) (objects.File, error) {
	onDisk, st, err := c.repo.tree.OnDisk(path)
	if err != nil || !st.UnchangedSince(c.start.Began) {
		return objects.File{Mode: git.ModeFile, Unknown: true}, nil //nolint:nilerr // what cannot be read is unknown
	}
	now, dirty, err := c.end.at(c.objects, path)
	if dirty || now.Now.Exists() {
		return now.Now, err // as it is there, or it would be among the changed files
	}
	return onDisk, err
}

// meanwhile lists, without counts, the commits and the edits of others.
func (c *comparison) meanwhile() []changeset.Change {
	seen := map[string]bool{}
	var out []changeset.Change
	add := func(ch objects.Change, letter changeset.Status) {
		if !seen[ch.Path] {
			out = append(out, changeset.Change{Status: letter, Path: ch.Path})
		}
		seen[ch.Path] = true
	}
	for _, n := range c.possible {
		seen[n.Path] = true // they are in Changes
	}
	taken := map[string]objects.Change{}
	for _, l := range c.uncommitted {
		if l.elsewhere != nil && l.Mixed == edits.MixedNo {
			taken[l.Path] = l.Change
		}
	}
	for _, n := range c.byOthers {
		if n.Change != taken[n.Path] { // otherwise they only committed the run's
			add(n.Change, status(n.Change))
		}
	}
	for _, l := range c.beside {
		add(l.Change, cmp.Or(l.letter, status(l.Change)))
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Path < out[j].Path })
	return out
}

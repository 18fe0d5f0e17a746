package gitwatch

import (
	"context"
	"slices"

	"agentflow/gitwatch/internal/attribution"
	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/objects"
	"agentflow/memory"
)

// workEdits sorts the paths whose work-tree content moved into the run's and
// the rest.
type workEdits struct {
	repo       *Repo
	objects    *objects.Reader
	start, end *snapshot
	startTree  git.ID
	endTree    git.ID
	committed  map[string]bool // paths the run's commits changed
	net        map[string]bool // those of them that did not end as they began
	judge      func(l listed, then objects.File) attribution.Verdict
}

// split returns the run's edits and those that moved beside it.
func (w *workEdits) split(ctx context.Context) (mine, rest []listed, err error) {
	for _, path := range w.paths() {
		if w.start.Unread.Holds(path) || w.end.Unread.Holds(path) {
			continue // it is said to be unread, and nothing else
		}
		l, then, moved, err := w.edit(ctx, path)
		if err != nil {
			return nil, nil, err
		}
		if !moved {
			continue
		}
		if l.Verdict = w.judge(l, then); l.Verdict.Certainty != "" {
			mine = append(mine, l)
		} else {
			rest = append(rest, l)
		}
	}
	return mine, rest, nil
}

// paths are all that differed from HEAD at the start or do so at the end.
func (w *workEdits) paths() []string {
	var out []string
	for _, d := range w.start.Dirty {
		out = append(out, string(d.Path))
	}
	for _, d := range w.end.Dirty {
		out = append(out, string(d.Path))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// edit says how the work-tree content of one path moved, beyond what commits
// account for, and what stood there at the start.
func (w *workEdits) edit(ctx context.Context, path string) (l listed, start objects.File, moved bool, err error) {
	then, dirtyThen := w.start.dirty[path]
	now, dirtyNow := w.end.dirty[path]
	headNow := now.Head
	if !dirtyThen {
		if then.Now, err = w.objects.Lookup(w.startTree, path); err != nil {
			return listed{}, objects.File{}, false, err
		}
	}
	if !dirtyNow {
		if headNow, err = w.objects.Lookup(w.endTree, path); err != nil {
			return listed{}, objects.File{}, false, err
		}
		now.Now = headNow
		if dirtyThen && then.Now.Exists() && git.Kind(headNow.Mode) != git.ModeGitlink && w.repo.tree.Gone(path) {
			now.Now = objects.File{} // git was told to take it for unchanged
		}
		if !headNow.Exists() && w.end.Hidden.Holds(path) {
			if now.Now, _, err = w.repo.tree.OnDisk(path); err != nil {
				return listed{}, objects.File{}, false, err
			}
		}
	}
	if w.start.NoModes && git.IsRegular(then.Now.Mode) && git.IsRegular(now.Now.Mode) {
		then.Now.Mode, headNow.Mode = now.Now.Mode, now.Now.Mode // a setting may have changed, and not the file
	}
	if now.Unmerged {
		moved := !then.Unmerged || !now.Now.Same(then.Now)
		return listed{NetChange: objects.NetChange{Path: path}, letter: memory.StatusUnmerged}, then.Now, moved, nil
	}
	l = listed{NetChange: objects.NetChange{Path: path, Before: then.Now, After: now.Now}}
	if then.Now.Unknown {
		l.note = notLookedAt
	}
	switch {
	case !dirtyNow:
		// It is as HEAD has it now. If the run's commits do not tell, an
		// earlier edit was taken back, or an untracked file removed.
		stands := w.repo.tree.LeftSubmodule(ctx, path, then.Now)
		moved := !now.Now.Same(then.Now) && !(stands.Exists() && stands.Same(then.Now))
		return l, then.Now, moved && !w.net[path], nil
	case w.committed[path]:
		l.Before = headNow
		return l, then.Now, !dirtyThen || !now.Now.Same(then.Now), nil
	case !dirtyThen:
		l.Before = headNow // others may have moved it below the run's edit
	}
	return l, then.Now, !now.Now.Same(then.Now), nil
}

// reveal tells of the paths that came to light since the start what stood there
// then, as if the start had looked: files that have not changed since hold what
// they held; of others that is not known.
func (c *comparison) reveal() error {
	startTree, err := c.objects.TreeOf(c.start.head())
	if err != nil {
		return err
	}
	endTree, err := c.objects.TreeOf(c.end.head())
	if err != nil {
		return err
	}
	paths := map[string]bool{}
	for _, d := range c.end.Dirty {
		paths[string(d.Path)] = true
	}
	for path := range c.touched {
		paths[path] = true
	}
	for path := range paths {
		if _, known := c.start.dirty[path]; known || !c.start.Hidden.Holds(path) {
			continue
		}
		if head, err := c.objects.Lookup(startTree, path); err != nil || head.Exists() {
			if err != nil {
				return err
			}
			continue
		}
		was, err := c.unseen(endTree, path)
		if err != nil {
			return err
		}
		c.start.dirty[path] = objects.DirtyFile{Path: git.Name(path), Now: was}
	}
	return nil
}

// unseen is what stood at a path that the start did not look at.
func (c *comparison) unseen(endTree git.ID, path string) (objects.File, error) {
	unknown := objects.File{Mode: git.ModeFile, Unknown: true}
	now, st, err := c.repo.tree.OnDisk(path)
	if err != nil || !st.UnchangedSince(c.start.Began) {
		return unknown, nil //nolint:nilerr // what cannot be looked at is not known
	}
	if d, dirty := c.end.dirty[path]; dirty {
		return d.Now, nil
	}
	head, err := c.objects.Lookup(endTree, path)
	if head.Exists() {
		return head, err // as it stands there, or it would be among the changed
	}
	return now, err
}

package gitwatch

import (
	"context"
	"slices"

	"agentflow/gitwatch/internal/git"
	"agentflow/memory"
)

// workEdits sorts the paths whose work-tree content moved into the run's and
// the rest.
type workEdits struct {
	repo       *Repo
	objects    *objects
	start, end *snapshot
	startTree  git.ID
	endTree    git.ID
	committed  map[string]bool // paths the run's commits changed
	net        map[string]bool // those of them that did not end as they began
	judge      func(l listed, then file) verdict
}

// split returns the run's edits and those that moved beside it.
func (w *workEdits) split(ctx context.Context) (mine, rest []listed, err error) {
	for _, path := range w.paths() {
		if w.start.Unread.holds(path) || w.end.Unread.holds(path) {
			continue // it is said to be unread, and nothing else
		}
		l, then, moved, err := w.edit(ctx, path)
		if err != nil {
			return nil, nil, err
		}
		if !moved {
			continue
		}
		if l.verdict = w.judge(l, then); l.verdict.certainty != "" {
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
func (w *workEdits) edit(ctx context.Context, path string) (l listed, start file, moved bool, err error) {
	then, dirtyThen := w.start.dirty[path]
	now, dirtyNow := w.end.dirty[path]
	headNow := now.Head
	if !dirtyThen {
		if then.Now, err = w.objects.lookup(w.startTree, path); err != nil {
			return listed{}, file{}, false, err
		}
	}
	if !dirtyNow {
		if headNow, err = w.objects.lookup(w.endTree, path); err != nil {
			return listed{}, file{}, false, err
		}
		now.Now = headNow
		if dirtyThen && then.Now.exists() && git.Kind(headNow.Mode) != git.ModeGitlink && w.repo.tree.gone(path) {
			now.Now = file{} // git was told to take it for unchanged
		}
		if !headNow.exists() && w.end.Hidden.holds(path) {
			if now.Now, _, err = w.repo.tree.onDisk(path); err != nil {
				return listed{}, file{}, false, err
			}
		}
	}
	if w.start.NoModes && git.IsRegular(then.Now.Mode) && git.IsRegular(now.Now.Mode) {
		then.Now.Mode, headNow.Mode = now.Now.Mode, now.Now.Mode // a setting may have changed, and not the file
	}
	if now.Unmerged {
		moved := !then.Unmerged || !now.Now.same(then.Now)
		return listed{netChange: netChange{path: path}, letter: memory.StatusUnmerged}, then.Now, moved, nil
	}
	l = listed{netChange: netChange{path: path, before: then.Now, after: now.Now}}
	if then.Now.Unknown {
		l.note = notLookedAt
	}
	switch {
	case !dirtyNow:
		// It is as HEAD has it now. If the run's commits do not tell, an
		// earlier edit was taken back, or an untracked file removed.
		stands := w.repo.tree.leftSubmodule(ctx, path, then.Now)
		moved := !now.Now.same(then.Now) && !(stands.exists() && stands.same(then.Now))
		return l, then.Now, moved && !w.net[path], nil
	case w.committed[path]:
		l.before = headNow
		return l, then.Now, !dirtyThen || !now.Now.same(then.Now), nil
	case !dirtyThen:
		l.before = headNow // others may have moved it below the run's edit
	}
	return l, then.Now, !now.Now.same(then.Now), nil
}

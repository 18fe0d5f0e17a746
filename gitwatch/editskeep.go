package gitwatch

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/internal/git"
	"agentflow/memory"
)

// keepEdits leaves in the run's folder what edits.Load and its likes read,
// if that is wanted and there is anything: that its commits changed nothing, as
// when they only reword others', is something. Contents that cannot be kept are
// left out.
func (c *comparison) keepEdits(ctx context.Context) {
	if c.ev.Keep == nil {
		return
	}
	moved, err := c.moved(ctx)
	if err == nil && len(c.mine)+len(c.touched)+len(c.set.Commits)+moved > 0 {
		err = c.writeEdits(ctx, moved)
	}
	if err != nil {
		c.remark("what the run changed is not kept for diff and undo: " + git.OneLine(err.Error()))
	}
}

// moved counts the files that HEAD holds otherwise than at the start, though
// no commit that was made meanwhile says so.
func (c *comparison) moved(ctx context.Context) (int, error) {
	if c.start.Head == c.end.Head {
		return 0, nil
	}
	from, err := c.objects.treeOf(c.start.head())
	if err != nil {
		return 0, err
	}
	to, err := c.objects.treeOf(c.end.head())
	if err != nil {
		return 0, err
	}
	changes, err := c.objects.diffTrees(ctx, from, to)
	told := map[string]netChange{}
	for _, n := range c.own {
		told[n.path] = n
	}
	others := map[string]bool{}
	for _, n := range c.others {
		others[n.path] = true
	}
	n := 0
	for _, ch := range changes {
		own, mine := told[ch.path]
		if !isOwn(ch.path) && !others[ch.path] && (!mine || own.before != ch.before || own.after != ch.after) {
			n++
		}
	}
	return n, err
}

func (c *comparison) writeEdits(ctx context.Context, moved int) error {
	archive, err := edits.Create(c.ev.Dir)
	if err != nil {
		return err
	}
	k := &keeper{sizes: c.startSizes(), c: c, archive: archive, until: time.Now().Add(keepTime)}
	return archive.Finish(ctx, k.edits(ctx), k.committed(ctx), moved)
}

// keeper fills the archive of one run.
type keeper struct {
	sizes   startSizes
	c       *comparison
	archive *edits.Writer
	until   time.Time // contents are looked through for secrets
}

// keepTime is how long contents are looked through; what is left then is not
// kept.
const keepTime = 5 * time.Second

// edits are the lines of what is uncommitted. Which of them are renames has
// been found out for the entry.
func (k *keeper) edits(ctx context.Context) []edits.Change {
	from := map[string]string{}
	gone := map[string]bool{}
	for _, ch := range k.c.set.Uncommitted.Items {
		if ch.OldPath != "" {
			from[ch.Path], gone[ch.OldPath] = ch.OldPath, true
		}
	}
	before := map[string]listed{}
	for _, l := range k.c.mine {
		before[l.path] = l
	}
	var out []edits.Change
	for _, l := range k.c.mine {
		if gone[l.path] && !l.after.exists() {
			continue
		}
		line := edits.Change{Path: l.path, After: k.file(ctx, l.path, l.after), Certainty: l.certainty, Mixed: l.mixed}
		if old, ok := from[l.path]; ok {
			line.OldPath, line.Before = old, k.was(ctx, old, before[old].before)
			line.Mixed = line.Mixed.Or(before[old].mixed)
		} else {
			line.Before = k.was(ctx, l.path, l.before)
		}
		if l.letter != 0 {
			line.Unmerged, line.After = true, k.file(ctx, l.path, k.c.end.dirty[l.path].Now)
		}
		out = append(out, line)
	}
	return out
}

// committed are the lines of what the run's commits did. A path they only
// passed through stands there when that took an earlier change of it along.
func (k *keeper) committed(ctx context.Context) []edits.Change {
	var out []edits.Change
	listed := map[string]bool{}
	for _, l := range k.c.mine {
		// An edit may lead from there itself, where commits only passed through.
		listed[l.path] = l.before.same(k.c.start.dirty[l.path].Now)
	}
	for _, n := range k.c.own {
		listed[n.path] = true
		for i, s := range n.stretches() {
			line := edits.Change{
				Path: n.path, Before: k.was(ctx, n.path, s.before), After: k.file(ctx, n.path, s.after),
				Certainty: memory.Shown, Mixed: k.c.inCommits[n.path],
			}
			if i == 0 {
				line.Held = k.held(ctx, n.path)
			}
			line.Stayed = k.stayed(n.path)
			out = append(out, line)
		}
	}
	for _, n := range k.c.maybe {
		out = append(out, edits.Change{
			Path: n.path, Before: k.file(ctx, n.path, n.before), After: k.file(ctx, n.path, n.after), Held: k.held(ctx, n.path),
			Certainty: memory.Possible, Mixed: edits.MixedUnknown,
		})
	}
	for _, path := range slices.Sorted(maps.Keys(k.c.touched)) {
		if held := k.held(ctx, path); held != nil && !listed[path] && !k.stayed(path) {
			head := k.file(ctx, path, k.c.start.dirty[path].Head)
			out = append(out, edits.Change{Path: path, Before: head, After: head, Held: held, Certainty: memory.Shown})
		}
	}
	return out
}

// held is what the work tree held of a path that was changed at the start.
func (k *keeper) held(ctx context.Context, path string) *edits.File {
	d, dirty := k.c.start.dirty[path]
	if !dirty {
		return nil
	}
	f := k.file(ctx, path, d.Now)
	return &f
}

// stayed says whether a path that was changed at the start is so, in the same
// way, at the end.
func (k *keeper) stayed(path string) bool {
	then, dirtyThen := k.c.start.dirty[path]
	now, dirtyNow := k.c.end.dirty[path]
	return dirtyThen && dirtyNow && then.Now.same(now.Now)
}

// stretches are the steps with those joined that follow each other.
func (n *netChange) stretches() []step {
	var out []step
	for _, s := range n.steps {
		if last := len(out) - 1; last >= 0 && out[last].after == s.before {
			out[last].after = s.after
			continue
		}
		out = append(out, s)
	}
	return slices.DeleteFunc(out, func(s step) bool { return s.before == s.after })
}

// was tells of a file from before the run. Of one that stood as HEAD had it, the
// size tells which line ends it had on disk.
func (k *keeper) was(ctx context.Context, path string, f file) edits.File {
	out := k.file(ctx, path, f)
	if _, dirty := k.c.start.dirty[path]; dirty || !git.IsRegular(f.Mode) || f.Hash == "" {
		return out
	}
	tree, err := k.c.objects.treeOf(k.c.start.head())
	if err != nil {
		return out
	}
	if head, err := k.c.objects.lookup(tree, path); err == nil && head.Hash == f.Hash {
		out.Size = k.sizes.of(path)
	}
	return out
}

// file tells of one file, and keeps its contents when git does not.
func (k *keeper) file(ctx context.Context, path string, f file) edits.File {
	out := edits.File{Mode: f.Mode, Hash: f.Hash, Unknown: f.Unknown}
	if f.Hash == "" {
		out.Size, out.MTime = f.Size, f.MTime
	}
	id := f.kept()
	if f.Mode == 0 || f.Mode == git.ModeGitlink || id == "" || f.Size > edits.MaxCopy || ctx.Err() != nil {
		return out
	}
	if k.archive.Has(id) || k.keep(path, id, f) == nil {
		out.Kept = id
	}
	return out
}

// keep copies contents from where they were put at the start, or from disk.
func (k *keeper) keep(path, id string, f file) error {
	data, err := k.c.contents.before.Get(id)
	if err != nil && f.disk {
		data, err = git.ReadFile(k.c.repo.at.full(path), f.Mode, edits.MaxCopy)
	}
	switch {
	case err != nil:
		return err
	case !git.IsBlob(data, id):
		return errors.New("it changed since it was looked at")
	case time.Now().After(k.until) || !k.c.ev.Keep(data):
		return edits.ErrNotKept
	}
	return k.archive.Keep(id, data)
}

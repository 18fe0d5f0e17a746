package gitwatch

import (
	"context"
	"maps"
	"slices"
	"time"

	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/objects"
	"agentflow/memory/changeset"
)

type editsKeeper struct {
	sizes   func(path string) int64 // on disk, at the start
	c       *comparison
	archive *edits.Writer
	moved   map[string]bool // paths that a move of HEAD changed
	until   time.Time       // when the search for secrets ends
}

// keepTime bounds the search for secrets. Contents that were not searched by then are not kept.
const keepTime = 5 * time.Second

// edits returns the uncommitted changes, with the renames found for the entry.
func (k *editsKeeper) edits(ctx context.Context) []edits.Change {
	from := map[string]string{}
	gone := map[string]bool{}
	for _, ch := range k.c.set.Uncommitted.Items {
		if ch.OldPath != "" {
			from[ch.Path], gone[ch.OldPath] = ch.OldPath, true
		}
	}
	before := map[string]listedChange{}
	for _, l := range k.c.uncommitted {
		before[l.Path] = l
	}
	var out []edits.Change
	for _, l := range k.c.uncommitted {
		if gone[l.Path] && !l.After.Exists() {
			continue
		}
		line := edits.Change{Path: l.Path, After: k.describe(ctx, l.Path, l.After), Certainty: l.Certainty, Mixed: l.Mixed, Elsewhere: l.elsewhere}
		if old, ok := from[l.Path]; ok {
			line.OldPath, line.Before = old, k.atStart(ctx, old, before[old].Before)
			line.Mixed = line.Mixed.Or(before[old].Mixed)
		} else {
			line.Before = k.atStart(ctx, l.Path, l.Before)
		}
		if k.movedBelow(l.Path) {
			line.Mixed = edits.MixedYes
		}
		if l.letter != 0 {
			line.Unmerged, line.After = true, k.describe(ctx, l.Path, k.c.end.dirty[l.Path].Now)
		}
		out = append(out, line)
	}
	return out
}

// committed returns the changes made by the run's commits. It includes a path that they changed and
// changed back only if they took in an earlier uncommitted change of it.
func (k *editsKeeper) committed(ctx context.Context) []edits.Change {
	var out []edits.Change
	listed := map[string]bool{}
	for _, l := range k.c.uncommitted {
		// An edit may begin at that file itself if commits only passed through it.
		listed[l.Path] = l.Before.Same(k.c.start.dirty[l.Path].Now)
	}
	for _, n := range k.c.byRun {
		listed[n.Path] = true
		for i, s := range n.Stretches() {
			line := edits.Change{
				Path: n.Path, Before: k.atStart(ctx, n.Path, s.Before), After: k.describe(ctx, n.Path, s.After),
				Certainty: changeset.Shown, Mixed: k.c.mixed[n.Path],
			}
			if i == 0 {
				line.Held = k.dirtyAtStart(ctx, n.Path)
			}
			if k.movedBelow(n.Path) {
				line.Mixed = edits.MixedYes
			}
			line.Stayed = k.stayedDirty(n.Path)
			out = append(out, line)
		}
	}
	for _, n := range k.c.possible {
		out = append(out, edits.Change{
			Path: n.Path, Before: k.describe(ctx, n.Path, n.Before), After: k.describe(ctx, n.Path, n.After), Held: k.dirtyAtStart(ctx, n.Path),
			Certainty: changeset.Possible, Mixed: edits.MixedUnknown,
		})
	}
	for _, path := range slices.Sorted(maps.Keys(k.c.touched)) {
		if held := k.dirtyAtStart(ctx, path); held != nil && !listed[path] && !k.stayedDirty(path) {
			head := k.describe(ctx, path, k.c.start.dirty[path].Head)
			out = append(out, edits.Change{Path: path, Before: head, After: head, Held: held, Certainty: changeset.Shown})
		}
	}
	return out
}

// movedBelow reports whether a move of HEAD changed a path that had an uncommitted
// change at the start: its contents from before the run lack the commits that came in.
func (k *editsKeeper) movedBelow(path string) bool {
	_, dirty := k.c.start.dirty[path]
	return dirty && k.moved[path]
}

// dirtyAtStart returns the work tree's file at a path that differed from HEAD at the start, or nil.
func (k *editsKeeper) dirtyAtStart(ctx context.Context, path string) *edits.File {
	d, dirty := k.c.start.dirty[path]
	if !dirty {
		return nil
	}
	f := k.describe(ctx, path, d.Now)
	return &f
}

// stayedDirty reports whether a path has the same uncommitted change at the end as at the start.
func (k *editsKeeper) stayedDirty(path string) bool {
	then, dirtyThen := k.c.start.dirty[path]
	now, dirtyNow := k.c.end.dirty[path]
	return dirtyThen && dirtyNow && then.Now.Same(now.Now)
}

// atStart describes a file from before the run. If the file was as in HEAD, its size shows which
// line ends it had on disk.
func (k *editsKeeper) atStart(ctx context.Context, path string, f objects.File) edits.File {
	out := k.describe(ctx, path, f)
	then, dirty, err := k.c.start.at(k.c.objects, path)
	if err == nil && !dirty && git.IsRegular(f.Mode) && f.Hash != "" && then.Head.Hash == f.Hash {
		out.Size = k.sizes(path)
	}
	return out
}

// describe describes one file, and copies its contents into the archive if a copy or the disk has
// them.
func (k *editsKeeper) describe(ctx context.Context, path string, f objects.File) edits.File {
	out := edits.File{Mode: f.Mode, Hash: f.Hash, Unknown: f.Unknown}
	if f.Hash == "" {
		out.Size, out.MTime = f.Size, f.MTime
	}
	id := f.CopyID()
	if f.Mode == 0 || f.Mode == git.ModeGitlink || id == "" || f.Size > edits.MaxCopy || ctx.Err() != nil {
		return out
	}
	if k.archive.Has(id) || k.copyContents(path, id, f) == nil {
		out.Kept = id
	}
	return out
}

// copyContents copies contents from the copies made at the start, or from disk.
func (k *editsKeeper) copyContents(path, id string, f objects.File) error {
	data, err := k.c.contents.onDisk(path, f, edits.MaxCopy)
	if err == nil && !k.mayKeep(data) {
		err = edits.ErrNotKept
	}
	if err != nil {
		return err
	}
	return k.archive.Keep(id, data)
}

// mayKeep reports whether contents may be kept: they were searched for secrets in time and have
// none.
func (k *editsKeeper) mayKeep(content []byte) bool {
	return !time.Now().After(k.until) && k.c.ev.Keep(content)
}

// elsewhere returns the files that the run wrote outside of its working tree.
func (k *editsKeeper) elsewhere() (out []edits.Change) {
	for _, f := range k.c.elsewhere {
		line := edits.Change{
			Path: f.inTree(), Tree: f.tree.top, SameRepository: f.tree.sameRepository,
			Before: k.keepText(f.before), After: k.keepText(f.now), Certainty: changeset.Shown, Mixed: f.mixed(),
		}
		out = append(out, line)
	}
	return out
}

// keepText describes a file outside of the run's working tree, and copies its content.
func (k *editsKeeper) keepText(t text) edits.File {
	if !t.exists {
		return edits.File{}
	}
	out := edits.File{Mode: git.ModeFile}
	if t.content == nil {
		return out
	}
	out.Hash = k.c.repo.BlobID(t.content)
	if k.archive.Has(out.Hash) || k.mayKeep(t.content) && k.archive.Keep(out.Hash, t.content) == nil {
		out.Kept = out.Hash
	}
	return out
}

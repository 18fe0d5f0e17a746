package gitwatch

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/gitindex"
	"agentflow/gitwatch/internal/objects"
	"agentflow/memory/changeset"
)

// keepEdits writes the archive of package edits into the run's folder, if the evidence
// asks for it and the run changed or committed anything, even if its commits only reword
// others. Contents that must not be kept are left out.
func (c *comparison) keepEdits(ctx context.Context) {
	if c.ev.Keep == nil {
		return
	}
	moved, err := c.movedPaths(ctx)
	if err == nil && len(c.uncommitted)+len(c.elsewhere)+len(c.touched)+len(c.set.Commits)+len(moved) > 0 {
		err = c.writeEdits(ctx, moved)
	}
	if err != nil {
		c.remark("the run's changes were not kept for diff and undo: " + git.OneLine(err.Error()))
	}
}

// movedPaths returns the paths that differ between the HEAD of the start and that of
// the end, and that no new commit of the run or of others changed.
func (c *comparison) movedPaths(ctx context.Context) (map[string]bool, error) {
	moved := map[string]bool{}
	if c.start.Head == c.end.Head {
		return moved, nil
	}
	from, err := c.start.headTree(c.objects)
	if err != nil {
		return nil, err
	}
	to, err := c.end.headTree(c.objects)
	if err != nil {
		return nil, err
	}
	changes, err := c.objects.Diff(ctx, from, to)
	byRuns := map[string]objects.Change{}
	for _, n := range c.byRun {
		byRuns[n.Path] = n.Change
	}
	others := map[string]bool{}
	for _, n := range c.byOthers {
		others[n.Path] = true
	}
	for _, ch := range changes {
		if !git.InOwnFolder(ch.Path) && !others[ch.Path] && byRuns[ch.Path] != ch {
			moved[ch.Path] = true
		}
	}
	return moved, err
}

// onlyGained reports whether the branch of the start kept all of its commits, as after
// a pull or a merge. An undo takes the run's own changes back and leaves the commits
// that came in. After a switch or a reset it cannot.
func (c *comparison) onlyGained() bool {
	return c.historyErr == nil && !c.rewritten && c.start.Branch == c.end.Branch
}

func (c *comparison) writeEdits(ctx context.Context, moved map[string]bool) error {
	archive, err := edits.Create(c.ev.Dir)
	if err != nil {
		return err
	}
	k := &editsKeeper{sizes: c.startSizes(), c: c, archive: archive, moved: moved, until: time.Now().Add(keepTime)}
	archive.Elsewhere = k.elsewhere()
	elsewhere := len(moved)
	if c.onlyGained() {
		elsewhere = 0
	}
	return archive.Finish(ctx, k.edits(ctx), k.committed(ctx), elsewhere)
}

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

// Origin is where a run began: the full id of HEAD's commit, and the short name of
// its branch. Either may be empty.
type Origin struct{ Base, Branch string }

// CommittedBy returns the changes of commits, given by full ids, oldest first. It replaces
// edits.LoadCommitted for a run whose folder is gone. The state of the work tree is then unknown.
// If the first commit amended the one that the run began on, only the difference between the two
// counts.
func (r *Repo) CommittedBy(ctx context.Context, ids []string, from Origin) (out []edits.Change, err error) {
	defer git.Caught(&err)
	o := objects.Open(ctx, r.at)
	defer o.Close()
	var commits []*objects.Commit
	for _, id := range ids {
		c, err := o.Commit(git.KnownID(id))
		if err != nil {
			return nil, fmt.Errorf("read the changes of commits: %w", err)
		}
		commits = append(commits, c)
	}
	if len(commits) > 0 && from.Base != "" {
		commits[0].Amends, err = replacedBase(ctx, o, commits[0], from)
	}
	var net []objects.NetChange
	if err == nil {
		net, _, err = o.Compose(ctx, commits)
	}
	if err != nil {
		return nil, fmt.Errorf("read the changes of commits: %w", err)
	}
	for _, n := range net {
		for _, s := range n.Stretches() {
			out = append(out, edits.Change{
				Path: n.Path, Before: edits.File{Mode: s.Before.Mode, Hash: s.Before.Hash}, After: edits.File{Mode: s.After.Mode, Hash: s.After.Hash},
			})
		}
	}
	return out, nil
}

// ResolveCommit returns the full id of the commit that a revision names, as git
// reads revisions.
func (r *Repo) ResolveCommit(ctx context.Context, revision string) (string, error) {
	out, err := git.Text(ctx, r.at.Top, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if err != nil {
		return "", fmt.Errorf("look for commit %s: %w", revision, err)
	}
	return out, nil
}

// If git converts line ends, the size on disk of a clean file shows which line ends it had. The
// index holds these sizes at no cost. Git replaces the index and never writes into it, so a hard
// link keeps the index of the start.

// startIndex names, in a run's folder, the index at the start of the run.
const startIndex = "before.index"

// keepIndex makes a hard link to the index in the run's folder. If that fails, as on another file
// system, undo restores files with the line ends that git writes.
func (r *Repo) keepIndex(dir string) {
	_ = os.Link(filepath.Join(r.at.GitDir, "index"), filepath.Join(dir, startIndex))
}

// startSizes returns a function for the sizes on disk of files that were as in the index of the
// start. It returns 0 for an unknown size. An index that only git can read has no sizes.
func (c *comparison) startSizes() func(path string) int64 {
	read := map[string]int64{}
	for _, d := range c.start.Sizes {
		read[string(d.Path)] = d.Size
	}
	var index *gitindex.Index
	raw, err := os.ReadFile(filepath.Join(c.ev.Dir, startIndex))
	if err == nil && gitindex.CheckSum(raw, c.repo.at.IDs) == nil {
		index, _ = gitindex.Parse(raw, c.repo.at.IDs)
	}
	return func(path string) int64 {
		if index == nil || read[path] != 0 {
			return read[path]
		}
		e := index.Find(path, index.Folders[0])
		if e == nil || !e.Merged() {
			return 0
		}
		return int64(e.Size())
	}
}

package gitwatch

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"

	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/linediff"
	"agentflow/gitwatch/toolcalls"
	"agentflow/internal/gitdir"
	"agentflow/memory/changeset"
)

// A file that an agent's file tool wrote outside of the run's working tree is in no snapshot. The
// only evidence is the tool's report and the file as it is now. Guesses from shell commands do not
// count there.

// writtenElsewhere is a file that a file tool wrote outside of the run's working tree.
type writtenElsewhere struct {
	path   string // absolute, with the links of its folders followed
	tree   *otherTree
	writes []toolcalls.Write // in order

	before, now text
}

// text is the contents of a file at some time. If content is nil, only exists is known.
type text struct {
	exists  bool
	content []byte
}

// known reports whether the contents of the file are known.
func (t text) known() bool { return !t.exists || t.content != nil }

// findElsewhere lists the changes that the run's file tools made outside of its working tree and
// that are still there.
func (c *comparison) findElsewhere(ctx context.Context) {
	trees := &otherTrees{own: c.repo.at, home: c.ev.Home, byTop: map[string]*otherTree{}}
	defer trees.close()
	root := gitdir.MainRoot(c.repo.at.CommonDir)
	for _, f := range c.filesElsewhere(ctx, trees) {
		if ctx.Err() != nil {
			return
		}
		f.look(ctx)
		if f.unchanged() || c.hasCommitted(f) {
			continue
		}
		c.elsewhere = append(c.elsewhere, f)
		c.set.Elsewhere.Items = append(c.set.Elsewhere.Items, f.change(root, c.ev.Home))
	}
	slices.SortFunc(c.set.Elsewhere.Items, func(a, b changeset.Change) int { return cmp.Compare(a.Path, b.Path) })
}

// filesElsewhere returns the files outside of the run's working tree that its file tools report as
// written. Outside of any repository, files for the agent's own use do not count.
func (c *comparison) filesElsewhere(ctx context.Context, trees *otherTrees) (files []*writtenElsewhere) {
	byPath := map[string]*writtenElsewhere{}
	for _, call := range slices.SortedStableFunc(slices.Values(c.ev.Calls), func(a, b toolcalls.Call) int { return a.Began.Compare(b.Began) }) {
		for _, w := range call.Wrote {
			path := w.Path
			if !filepath.IsAbs(path) {
				path = filepath.Join(c.repo.at.Top, path)
			}
			path = gitdir.Real(path)
			f := byPath[path]
			if f == nil {
				f = &writtenElsewhere{path: path, tree: trees.of(ctx, path)}
				byPath[path] = f
				if !f.tree.isOwn && !c.repo.isLeft(path) && (f.tree.top != "" || !w.Private) {
					files = append(files, f)
				}
			}
			f.writes = append(f.writes, w)
		}
	}
	return files
}

// look finds the contents of the file before the first write, and now.
func (f *writtenElsewhere) look(ctx context.Context) {
	if info, err := os.Lstat(f.path); err == nil {
		f.now.exists = true
		if info.Mode().IsRegular() {
			f.now.content, _ = git.ReadFile(f.path, git.ModeFile, edits.MaxCopy)
		}
	}
	switch before := f.writes[0].Before; {
	case before == toolcalls.NoText:
	case before != "" && f.now.content != nil && toolcalls.TextID(f.now.content) == before:
		f.before = f.now
	default:
		content, found := f.tree.earlier(ctx, f.inTree(), before)
		f.before = text{exists: found || before != "" || f.tree.at == nil, content: content}
	}
	if f.now.content != nil {
		f.writes = toolcalls.Replay(f.writes, f.before.content, toolcalls.TextID(f.now.content), false)
	}
}

// inTree returns the file's path relative to the top of its tree, or an absolute path if it is in
// no tree.
func (f *writtenElsewhere) inTree() string {
	if rel, err := filepath.Rel(f.tree.top, f.path); f.tree.top != "" && err == nil {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(f.path)
}

// unchanged reports whether the file is again as it was before the tools wrote it.
func (f *writtenElsewhere) unchanged() bool {
	if !f.before.exists || !f.now.exists {
		return f.before.exists == f.now.exists
	}
	return f.before.content != nil && f.now.content != nil && bytes.Equal(f.before.content, f.now.content)
}

// hasCommitted reports whether a commit of the run in another working tree of its repository holds
// the file as it is. It is then listed with the commit.
func (c *comparison) hasCommitted(f *writtenElsewhere) bool {
	return f.tree.sameRepository && c.touched[f.inTree()] && f.now.content != nil && f.tree.inHead(f.inTree()).Hash == c.repo.BlobID(f.now.content)
}

// change returns the line of an entry about the file.
func (f *writtenElsewhere) change(root, home string) changeset.Change {
	out := changeset.Change{Status: changeset.StatusModified, Path: changeset.PathElsewhere(f.path, root, home), Certainty: changeset.Shown}
	if f.tree.top != "" {
		out.Tree = changeset.PathElsewhere(f.tree.top, root, home)
		out.Path = changeset.PathInTree(out.Tree, f.inTree())
	}
	switch {
	case !f.before.exists:
		out.Status = changeset.StatusAdded
	case !f.now.exists:
		out.Status = changeset.StatusDeleted
	}
	if out.Counted = f.before.known() && f.now.known() && !linediff.IsBinary(f.before.content) && !linediff.IsBinary(f.now.content); out.Counted {
		out.Added, out.Deleted = linediff.Count(f.before.content, f.now.content)
	}
	return out
}

// mixed returns MixedNo if each write follows from the one before it, and the last one left the
// file as it is now. Otherwise it returns MixedUnknown.
func (f *writtenElsewhere) mixed() edits.Mixed {
	left := f.writes[0].Before
	for _, w := range f.writes {
		if w.Before != left || w.Before == "" || w.After == "" {
			return edits.MixedUnknown
		}
		left = w.After
	}
	if !f.now.exists && left == toolcalls.NoText || f.now.content != nil && toolcalls.TextID(f.now.content) == left {
		return edits.MixedNo
	}
	return edits.MixedUnknown
}

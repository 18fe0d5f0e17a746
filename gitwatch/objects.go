package gitwatch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"

	"agentflow/gitwatch/internal/git"
)

// store is one way to read a repository: go-git, or the git program. It is
// not for concurrent use, and sees the repository as of its first use.
type store interface {
	// head returns the branch HEAD points to, empty when detached, and its
	// commit, none when unborn.
	head() (branch string, commit git.ID, err error)
	// refs lists all references but HEAD and symbolic ones, by name.
	refs() ([]ref, error)
	// shallow lists the commits whose parents were not fetched.
	shallow() ([]git.ID, error)
	// object returns an object, "commit", "tree", "blob" or "tag". The error
	// is errMissing for one that is not there, git.ErrTooLarge for one of more
	// than limit bytes.
	object(id git.ID, limit int64) (kind string, raw []byte, err error)
	// close gives back what the store holds; it may be used again after.
	close()
}

// errMissing says that an object is not in the repository.
var errMissing = errors.New("the object is not there")

// isMissing says whether an error is that of an object that is not there.
func isMissing(err error) bool { return errors.Is(err, errMissing) }

// noLimit is the size in bytes over which no tree or commit is read.
const noLimit = 1 << 30

// objects reads the object store. It is not for concurrent use.
type objects struct {
	store   store
	trees   map[git.ID][]treeEntry
	inIndex func(git.ID) ([]treeEntry, bool) // trees that the index holds, which need not be read; nil for none
}

// openObjects opens the objects and references of a repository anew.
func openObjects(ctx context.Context, p *place) *objects { return newObjects(openStore(ctx, p)) }

func newObjects(s store) *objects {
	return &objects{store: s, trees: map[git.ID][]treeEntry{}}
}

func openStore(ctx context.Context, p *place) store {
	if p.byGit != "" {
		return &gitStore{at: p, ctx: ctx}
	}
	return openGo(p)
}

func (o *objects) close() { o.store.close() }

// treeEntry is one line of a tree. Names may hold any bytes but '/' and NUL.
type treeEntry struct {
	name string
	mode uint32
	hash git.ID
}

func (e treeEntry) file() file { return file{Mode: e.mode, Hash: e.hash.String()} }

// tree reads a tree; the empty id is the empty tree.
func (o *objects) tree(id git.ID) ([]treeEntry, error) {
	if id == "" {
		return nil, nil
	}
	if t, ok := o.trees[id]; ok {
		return t, nil
	}
	if o.inIndex != nil {
		if t, ok := o.inIndex(id); ok {
			o.trees[id] = t
			return t, nil
		}
	}
	raw, err := o.read("tree", id, noLimit)
	if err != nil {
		return nil, err
	}
	t, err := parseTree(raw, len(id))
	if err != nil {
		return nil, fmt.Errorf("read tree %s: %w", id, err)
	}
	o.trees[id] = t
	return t, nil
}

// parseTree reads a tree whose ids have width bytes.
func parseTree(raw []byte, width int) ([]treeEntry, error) {
	var entries []treeEntry
	text := string(raw)
	for at := 0; at < len(raw); {
		space := bytes.IndexByte(raw[at:], ' ') + at
		end := bytes.IndexByte(raw[at:], 0) + at
		if space < at || end < space || len(raw) < end+1+width {
			return nil, errDamaged
		}
		mode, err := strconv.ParseUint(text[at:space], 8, 32)
		if err != nil {
			return nil, errDamaged
		}
		next := end + 1 + width
		entries = append(entries, treeEntry{text[space+1 : end], git.CanonicalMode(uint32(mode)), git.ID(text[end+1 : next])})
		at = next
	}
	return entries, nil
}

// read returns the bytes of an object of one kind, or git.ErrTooLarge.
func (o *objects) read(kind string, id git.ID, limit int64) ([]byte, error) {
	is, raw, err := o.store.object(id, limit)
	if err == nil && is != kind {
		err = fmt.Errorf("it is a %s", is)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s %s: %w", kind, id, err)
	}
	return raw, nil
}

// blob returns a blob's bytes, or git.ErrTooLarge over git.MaxRead.
func (o *objects) blob(id git.ID) ([]byte, error) { return o.read("blob", id, git.MaxRead) }

func (o *objects) commitInfo(id git.ID) (*commitInfo, error) {
	raw, err := o.read("commit", id, noLimit)
	if err != nil {
		return nil, err
	}
	c, err := parseCommit(id, raw)
	if err != nil {
		return nil, fmt.Errorf("read commit %s: %w", id, err)
	}
	return c, nil
}

// treeOf is the tree of a commit; no commit has the empty tree.
func (o *objects) treeOf(commit git.ID) (git.ID, error) {
	if commit == "" {
		return "", nil
	}
	c, err := o.commitInfo(commit)
	if err != nil {
		return "", err
	}
	return c.tree, nil
}

// peel follows annotated tags to a commit; ok is false for another object.
func (o *objects) peel(id git.ID) (git.ID, bool) {
	for range 10 {
		kind, raw, err := o.store.object(id, noLimit)
		if err != nil || kind != "tag" {
			return id, err == nil && kind == "commit"
		}
		if id, err = parseTag(raw); err != nil {
			return id, false
		}
	}
	return id, false
}

// lookup finds one path in a tree; a path that is not there is the zero file.
func (o *objects) lookup(tree git.ID, path string) (file, error) {
	for {
		entries, err := o.tree(tree)
		if err != nil {
			return file{}, err
		}
		name, rest, deeper := cutPath(path)
		e, ok := findEntry(entries, name)
		switch {
		case !ok || deeper != (e.mode == git.ModeDir):
			return file{}, nil
		case !deeper:
			return e.file(), nil
		}
		tree, path = e.hash, rest
	}
}

func findEntry(entries []treeEntry, name string) (treeEntry, bool) {
	for _, e := range entries {
		if e.name == name {
			return e, true
		}
	}
	return treeEntry{}, false
}

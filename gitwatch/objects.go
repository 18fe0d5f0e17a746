package gitwatch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// objects reads the object store. It is not for concurrent use.
type objects struct {
	store *filesystem.Storage
	trees map[plumbing.Hash][]treeEntry
}

func newObjects(store *filesystem.Storage) *objects {
	return &objects{store: store, trees: map[plumbing.Hash][]treeEntry{}}
}

// treeEntry is one line of a tree. Names may hold any bytes but '/' and NUL.
type treeEntry struct {
	name string
	mode uint32
	hash plumbing.Hash
}

func (e treeEntry) file() file { return file{Mode: e.mode, Hash: e.hash.String()} }

// errTooLarge says that an object is over the size that was asked for.
var errTooLarge = errors.New("too large to read")

// tree reads a tree; the zero id is the empty tree.
func (o *objects) tree(id plumbing.Hash) ([]treeEntry, error) {
	if id.IsZero() {
		return nil, nil
	}
	if t, ok := o.trees[id]; ok {
		return t, nil
	}
	raw, err := o.read(plumbing.TreeObject, id, 1<<30)
	if err != nil {
		return nil, fmt.Errorf("read tree %s: %w", id, err)
	}
	t, err := parseTree(raw)
	if err != nil {
		return nil, fmt.Errorf("read tree %s: %w", id, err)
	}
	o.trees[id] = t
	return t, nil
}

func parseTree(raw []byte) ([]treeEntry, error) {
	var entries []treeEntry
	for len(raw) > 0 {
		space := bytes.IndexByte(raw, ' ')
		end := bytes.IndexByte(raw, 0)
		if space < 0 || end < space || len(raw) < end+21 {
			return nil, errors.New("it is damaged")
		}
		mode, err := strconv.ParseUint(string(raw[:space]), 8, 32)
		if err != nil {
			return nil, errors.New("it is damaged")
		}
		e := treeEntry{name: string(raw[space+1 : end]), mode: canonicalMode(uint32(mode))}
		copy(e.hash[:], raw[end+1:end+21])
		entries = append(entries, e)
		raw = raw[end+21:]
	}
	return entries, nil
}

// canonicalMode maps the modes that old versions of git wrote (as 100664) to
// those it compares by.
func canonicalMode(mode uint32) uint32 {
	if !isRegular(mode) {
		return mode
	}
	if mode&0o100 != 0 {
		return modeExec
	}
	return modeFile
}

// read returns an object's bytes, or errTooLarge.
func (o *objects) read(kind plumbing.ObjectType, id plumbing.Hash, limit int64) ([]byte, error) {
	obj, err := o.store.EncodedObject(kind, id)
	if err != nil {
		return nil, err
	}
	if obj.Size() > limit {
		return nil, errTooLarge
	}
	in, err := obj.Reader()
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(in)
	return raw, errors.Join(err, in.Close())
}

// blob returns a blob's bytes, or errTooLarge over maxRead. The size is asked
// first, so that a large blob is not unpacked.
func (o *objects) blob(id plumbing.Hash) ([]byte, error) {
	size, err := o.store.EncodedObjectSize(id)
	if err != nil {
		return nil, fmt.Errorf("read blob %s: %w", id, err)
	}
	if size > maxRead {
		return nil, errTooLarge
	}
	raw, err := o.read(plumbing.BlobObject, id, maxRead)
	if err != nil {
		return nil, fmt.Errorf("read blob %s: %w", id, err)
	}
	return raw, nil
}

func (o *objects) commit(id plumbing.Hash) (*object.Commit, error) {
	c, err := object.GetCommit(o.store, id)
	if err != nil {
		return nil, fmt.Errorf("read commit %s: %w", id, err)
	}
	return c, nil
}

// treeOf is the tree of a commit; the zero id has the empty tree.
func (o *objects) treeOf(commit plumbing.Hash) (plumbing.Hash, error) {
	if commit.IsZero() {
		return plumbing.ZeroHash, nil
	}
	c, err := o.commit(commit)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	return c.TreeHash, nil
}

// lookup finds one path in a tree; a path that is not there is the zero file.
func (o *objects) lookup(tree plumbing.Hash, path string) (file, error) {
	for {
		entries, err := o.tree(tree)
		if err != nil {
			return file{}, err
		}
		name, rest, deeper := cutPath(path)
		e, ok := findEntry(entries, name)
		switch {
		case !ok || deeper != (e.mode == modeDir):
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

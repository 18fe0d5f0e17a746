// Package objects reads commits, trees, blobs and references, by itself and go-git or with the git
// program, and finds the changes of commits and the new commits.
//
// Guarantees: both ways to read give the same results. Nothing is fetched. A missing object is an
// error, and never an empty one.
package objects

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/repo"
)

// Store is one way to read a repository: in place, or through the git program. It is not safe for
// concurrent use, and sees the repository as of its first use.
type Store interface {
	// Head returns the branch that HEAD points to, empty if detached, and its commit, empty if
	// unborn.
	Head() (branch string, commit git.ID, err error)
	// Refs lists all references, except HEAD and symbolic ones, by name.
	Refs() ([]Ref, error)
	// Shallow lists the commits whose parents were not fetched.
	Shallow() ([]git.ID, error)
	// object returns an object: its kind, "commit", "tree", "blob" or "tag", and its bytes. The
	// error is errMissing if it does not exist, and git.ErrTooLarge if it has more than limit
	// bytes.
	object(id git.ID, limit int64) (kind string, raw []byte, err error)
	// Close releases the resources of the store. The store may be used again afterwards.
	Close()
}

// errMissing means that an object is not in the repository.
var errMissing = errors.New("the object is not there")

func isMissing(err error) bool { return errors.Is(err, errMissing) }

// noLimit exceeds any tree or commit that is read, in bytes.
const noLimit = 1 << 30

// Reader reads the object store. It is not safe for concurrent use.
type Reader struct {
	Store   Store
	Trees   map[git.ID][]TreeEntry
	InIndex func(git.ID) ([]TreeEntry, bool) // trees that the index holds, so that they need not be read; nil for none
}

// Open opens the objects and references of a repository again.
func Open(ctx context.Context, p *repo.Place) *Reader { return New(OpenStore(ctx, p)) }

func New(s Store) *Reader {
	return &Reader{Store: s, Trees: map[git.ID][]TreeEntry{}}
}

func OpenStore(ctx context.Context, p *repo.Place) Store {
	if p.OnlyGit != "" {
		return &gitStore{at: p, ctx: ctx}
	}
	return openGo(p)
}

func (o *Reader) Close() { o.Store.Close() }

// TreeEntry is one line of a tree. Names may hold any bytes but '/' and NUL.
type TreeEntry struct {
	Name string
	Mode uint32
	Hash git.ID
}

func (e TreeEntry) file() File { return File{Mode: e.Mode, Hash: e.Hash.String()} }

// tree reads a tree. The empty id is the empty tree.
func (o *Reader) tree(id git.ID) ([]TreeEntry, error) {
	if id == "" {
		return nil, nil
	}
	if t, ok := o.Trees[id]; ok {
		return t, nil
	}
	if o.InIndex != nil {
		if t, ok := o.InIndex(id); ok {
			o.Trees[id] = t
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
	o.Trees[id] = t
	return t, nil
}

// parseTree reads a tree with ids of width bytes.
func parseTree(raw []byte, width int) ([]TreeEntry, error) {
	var entries []TreeEntry
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
		entries = append(entries, TreeEntry{text[space+1 : end], git.CanonicalMode(uint32(mode)), git.ID(text[end+1 : next])})
		at = next
	}
	return entries, nil
}

// read returns the bytes of an object of one kind, or git.ErrTooLarge.
func (o *Reader) read(kind string, id git.ID, limit int64) ([]byte, error) {
	is, raw, err := o.Store.object(id, limit)
	if err == nil && is != kind {
		err = fmt.Errorf("it is a %s", is)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s %s: %w", kind, id, err)
	}
	return raw, nil
}

// Blob returns a blob's bytes, or git.ErrTooLarge over git.MaxRead.
func (o *Reader) Blob(id git.ID) ([]byte, error) { return o.read("blob", id, git.MaxRead) }

func (o *Reader) Commit(id git.ID) (*Commit, error) {
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

// TreeOf returns the tree of a commit. No commit has the empty tree.
func (o *Reader) TreeOf(commit git.ID) (git.ID, error) {
	if commit == "" {
		return "", nil
	}
	c, err := o.Commit(commit)
	if err != nil {
		return "", err
	}
	return c.tree, nil
}

// peel follows annotated tags to a commit. ok is false for another object.
func (o *Reader) peel(id git.ID) (git.ID, bool) {
	for range 10 {
		kind, raw, err := o.Store.object(id, noLimit)
		if err != nil || kind != "tag" {
			return id, err == nil && kind == "commit"
		}
		if id, err = parseTag(raw); err != nil {
			return id, false
		}
	}
	return id, false
}

// Lookup finds one path in a tree. It returns the zero File if the path does not exist.
func (o *Reader) Lookup(tree git.ID, path string) (File, error) {
	for {
		entries, err := o.tree(tree)
		if err != nil {
			return File{}, err
		}
		name, rest, deeper := strings.Cut(path, "/")
		at := slices.IndexFunc(entries, func(e TreeEntry) bool { return e.Name == name })
		if at < 0 || deeper != (entries[at].Mode == git.ModeDir) {
			return File{}, nil
		}
		if !deeper {
			return entries[at].file(), nil
		}
		tree, path = entries[at].Hash, rest
	}
}

// Ref is one reference and the object it names. Annotated tags name the tag.
type Ref struct {
	Name git.Name `json:"name"`
	ID   string   `json:"id"`
}

// File is the state of one path. The zero value is a path that does not exist.
type File struct {
	Mode  uint32 `json:"mode,omitempty"`
	Hash  string `json:"hash,omitempty"`  // blob id as git would store it; empty if unknown
	Raw   string `json:"raw,omitempty"`   // id of the bytes on disk, if git converts them
	Size  int64  `json:"size,omitempty"`  // bytes on disk; 0 for a file from a tree
	MTime int64  `json:"mtime,omitempty"` // Unix nanoseconds; 0 for a file from a tree
	// Filtered says that a filter (such as LFS) converts between the bytes on disk and the blob, so
	// that the two cannot be compared by lines.
	Filtered bool `json:"filtered,omitempty"`

	// Unknown says that the file may have existed and was not looked at.
	Unknown bool `json:"-"`

	OnDisk bool `json:"-"` // the bytes are in the work tree now
}

func (f File) Exists() bool { return f.Mode != 0 }

// CopyID returns the id under which the contents on disk are kept.
func (f File) CopyID() string {
	if f.Raw != "" {
		return f.Raw
	}
	return f.Hash
}

// Same reports whether two files have the same contents. Size and time decide if one is too large
// to have been hashed. Unknown contents count as changed.
func (f File) Same(g File) bool {
	if f.Mode != g.Mode || f.Unknown || g.Unknown {
		return false
	}
	switch {
	case !f.Exists():
		return true
	case f.Raw != "" && g.Raw != "":
		return f.Raw == g.Raw
	case f.Hash != "" && g.Hash != "":
		return f.Hash == g.Hash
	}
	return f.Size == g.Size && f.MTime != 0 && f.MTime == g.MTime
}

// DirtyFile is a path whose work-tree content differs from HEAD's.
type DirtyFile struct {
	Path     git.Name `json:"path"`
	Now      File     `json:"now,omitzero"`
	Head     File     `json:"head,omitzero"`
	Unmerged bool     `json:"unmerged,omitempty"` // a merge left it unresolved
}

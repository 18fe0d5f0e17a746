package gitwatch

import (
	"crypto/sha1" //nolint:gosec // git's object ids
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"time"

	"github.com/go-git/go-git/v5/plumbing/format/index"
)

// gitIndex is the index of this work tree: what git believes it holds.
type gitIndex struct {
	entries  []*index.Entry // stage 0, without intent-to-add, sorted by name
	added    []*index.Entry // git add -N: names without content
	unmerged map[string]bool
	written  time.Time // when the index was written, for the racy rule
}

// readIndex decodes the index. One that is not there is empty, as in a fresh
// repository.
func (r *Repo) readIndex() (*gitIndex, error) {
	file := filepath.Join(r.gitDir, "index")
	x := &gitIndex{unmerged: map[string]bool{}}
	info, err := os.Stat(file)
	if errors.Is(err, os.ErrNotExist) {
		return x, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	x.written = info.ModTime()
	entries, err := parseIndex(raw)
	var required requiredError
	if errors.As(err, &required) {
		return nil, needsGit(required.name())
	}
	if err != nil {
		return nil, fmt.Errorf("read index %s: %w", file, err)
	}
	return x, x.fill(file, entries)
}

// fill sorts the entries into their kinds.
func (x *gitIndex) fill(file string, entries []*index.Entry) error {
	for _, e := range entries {
		switch {
		case uint32(e.Mode) == modeDir:
			return needsGit("a sparse index")
		case e.Stage != 0:
			x.unmerged[e.Name] = true
		case e.IntentToAdd:
			x.added = append(x.added, e)
		default:
			x.entries = append(x.entries, e)
		}
	}
	sort.Slice(x.entries, func(i, j int) bool { return x.entries[i].Name < x.entries[j].Name })
	return nil
}

// headDiff lists the paths where the index differs from a tree, with what the
// tree holds. Only folders whose tree id differs are read: the ids are
// computed from the index, in which entries stand in tree order.
func (x *gitIndex) headDiff(o *objects, tree oid) (map[string]file, error) {
	d := indexDiff{objects: o, differs: map[string]file{}}
	root := buildTree(x.entries)
	return d.differs, d.compare(tree, root, "")
}

// folder is a folder of the index with the tree id it would have.
type folder struct {
	hash    oid
	entries []treeEntry
	folders map[string]*folder
}

// buildTree computes the trees of sorted index entries.
func buildTree(entries []*index.Entry) *folder {
	root, _ := buildFolder(entries, 0)
	return root
}

// buildFolder takes the entries whose names agree in their first skip bytes
// and returns how many it took.
func buildFolder(entries []*index.Entry, skip int) (*folder, int) {
	f := &folder{folders: map[string]*folder{}}
	prefix := ""
	if len(entries) > 0 {
		prefix = entries[0].Name[:skip]
	}
	i := 0
	for i < len(entries) && len(entries[i].Name) >= skip && entries[i].Name[:skip] == prefix {
		e := entries[i]
		name, _, deeper := cutPath(e.Name[skip:])
		if !deeper {
			f.entries = append(f.entries, treeEntry{name, uint32(e.Mode), oid(e.Hash[:])})
			i++
			continue
		}
		sub, n := buildFolder(entries[i:], skip+len(name)+1)
		f.folders[name] = sub
		f.entries = append(f.entries, treeEntry{name, modeDir, sub.hash})
		i += n
	}
	f.hash = treeHash(f.entries)
	return f, i
}

func treeHash(entries []treeEntry) oid {
	var body []byte
	for _, e := range entries {
		body = append(strconv.AppendUint(body, uint64(e.mode), 8), ' ')
		body = append(append(body, e.name...), 0)
		body = append(body, e.hash...)
	}
	h := sha1.New() //nolint:gosec // git's object ids
	h.Write(append(strconv.AppendInt([]byte("tree "), int64(len(body)), 10), 0))
	h.Write(body)
	return oid(h.Sum(nil))
}

type indexDiff struct {
	objects *objects
	differs map[string]file // what the tree holds; zero where it has no such path
}

func (d *indexDiff) compare(tree oid, f *folder, prefix string) error {
	if f != nil && f.hash == tree {
		return nil
	}
	left, err := d.objects.tree(tree)
	if err != nil {
		return err
	}
	var right []treeEntry
	if f != nil {
		right = f.entries
	}
	for len(left) > 0 || len(right) > 0 {
		var l, r treeEntry
		order := compareEntries(left, right)
		if order <= 0 {
			l, left = left[0], left[1:]
		}
		if order >= 0 {
			r, right = right[0], right[1:]
		}
		if err := d.entry(l, r, f, prefix); err != nil {
			return err
		}
	}
	return nil
}

func (d *indexDiff) entry(l, r treeEntry, f *folder, prefix string) error {
	if l == r {
		return nil
	}
	path := prefix + max(l.name, r.name)
	if l.mode == modeDir || r.mode == modeDir {
		var sub *folder
		if r.mode == modeDir {
			sub = f.folders[r.name]
		}
		return d.compare(l.hash, sub, path+"/")
	}
	d.differs[path] = file{}
	if l.mode != 0 {
		d.differs[path] = l.file()
	}
	return nil
}

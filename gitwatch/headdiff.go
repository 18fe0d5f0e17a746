package gitwatch

import (
	"crypto/sha1" //nolint:gosec // git's object ids
	"strconv"

	"agentflow/gitwatch/internal/git"
)

// headDiff lists the paths where the index differs from a tree, with what the
// tree holds. Only trees of folders that differ are read: the index remembers
// the ids of its folders, and those that have changed since are computed from
// its entries, which stand in tree order.
func (x *gitIndex) headDiff(o *objects, tree git.ID) (map[string]file, error) {
	d := indexDiff{index: x, objects: o, differs: map[string]file{}, ids: map[*folder]git.ID{}}
	if _, root, _, _, ok := cacheTreeRecord(x.trees); ok && root.entries == len(x.entries) && root.id == tree {
		return d.differs, nil
	}
	d.cached = cacheTree(x.trees)
	return d.differs, d.compare(tree, x.folders[0])
}

type indexDiff struct {
	index   *gitIndex
	objects *objects
	cached  map[string]cachedTree
	ids     map[*folder]git.ID
	differs map[string]file // what the tree holds; zero where it has no such path
}

// compare goes down where a tree and a folder of the index differ.
func (d *indexDiff) compare(tree git.ID, f *folder) error {
	if d.id(f) == tree {
		return nil
	}
	left, err := d.objects.tree(tree)
	if err != nil {
		return err
	}
	return d.merge(left, d.tree(f), f.path, f)
}

// merge compares the lines of a tree with those the index would write; f is
// nil where the index has no such folder.
func (d *indexDiff) merge(left, right []treeEntry, prefix string, f *folder) error {
	for len(left) > 0 || len(right) > 0 {
		var l, r treeEntry
		order := compareEntries(left, right)
		if order <= 0 {
			l, left = left[0], left[1:]
		}
		if order >= 0 {
			r, right = right[0], right[1:]
		}
		if err := d.entry(l, r, prefix, f); err != nil {
			return err
		}
	}
	return nil
}

func (d *indexDiff) entry(l, r treeEntry, prefix string, f *folder) error {
	switch {
	case l == r:
		return nil
	case r.mode == git.ModeDir:
		return d.compare(l.hash, f.sub(r.name))
	case l.mode == git.ModeDir:
		left, err := d.objects.tree(l.hash)
		if err != nil {
			return err
		}
		return d.merge(left, nil, prefix+l.name+"/", nil)
	}
	path := prefix + max(l.name, r.name)
	d.differs[path] = file{}
	if l.mode != 0 {
		d.differs[path] = l.file()
	}
	return nil
}

// id is that of the tree a folder of the index would be written as; none for
// one without content.
func (d *indexDiff) id(f *folder) git.ID {
	if t, ok := d.cached[f.path]; ok && t.entries == f.end-f.first {
		return t.id
	}
	id, ok := d.ids[f]
	if !ok {
		if lines := d.tree(f); len(lines) > 0 {
			id = treeHash(lines)
		}
		d.ids[f] = id
	}
	return id
}

// tree are the lines of that tree.
func (d *indexDiff) tree(f *folder) []treeEntry {
	var lines []treeEntry
	folders := func(before int, subs []*folder) []*folder {
		for len(subs) > 0 && subs[0].first < before {
			if id := d.id(subs[0]); id != "" {
				name := subs[0].path[len(f.path) : len(subs[0].path)-1]
				lines = append(lines, treeEntry{name, git.ModeDir, id})
			}
			subs = subs[1:]
		}
		return subs
	}
	subs := f.subs
	for _, s := range f.spans {
		subs = folders(s.from, subs)
		for i := s.from; i < s.to; i++ {
			if e := &d.index.entries[i]; e.merged() {
				lines = append(lines, treeEntry{e.name[len(f.path):], e.mode(), e.id()})
			}
		}
	}
	folders(f.end, subs)
	return lines
}

func treeHash(lines []treeEntry) git.ID {
	var body []byte
	for _, e := range lines {
		body = append(strconv.AppendUint(body, uint64(e.mode), 8), ' ')
		body = append(append(body, e.name...), 0)
		body = append(body, e.hash...)
	}
	h := sha1.New() //nolint:gosec // git's object ids
	h.Write(append(strconv.AppendInt([]byte("tree "), int64(len(body)), 10), 0))
	h.Write(body)
	return git.ID(h.Sum(nil))
}

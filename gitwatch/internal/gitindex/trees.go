package gitindex

import (
	"bytes"
	"context"
	"strconv"

	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/objects"
)

// DifferingFrom lists the paths where the index differs from a tree, with the tree's file. It reads
// only trees of folders that differ. The index records the ids of its folders. The ids of folders
// that have changed since are computed from its entries, which are in tree order.
func (x *Index) DifferingFrom(ctx context.Context, o *objects.Reader, tree git.ID) (map[string]objects.File, error) {
	if _, root, _, _, ok := cacheTreeRecord(x.cacheTree, x.ids); ok && root.entries == len(x.Entries) && root.id == tree {
		return nil, nil
	}
	t := &indexTrees{index: x, objects: o, cached: parseCacheTree(x.cacheTree, x.ids)}
	o.InIndex = t.byID
	changes, err := o.Diff(ctx, tree, t.id(x.Folders[0]))
	o.InIndex = nil
	inTree := make(map[string]objects.File, len(changes))
	for _, ch := range changes {
		inTree[ch.Path] = ch.Before
	}
	return inTree, err
}

// indexTrees holds the trees that an index would be written as.
type indexTrees struct {
	index   *Index
	objects *objects.Reader
	cached  map[string]cachedTree
	folders map[git.ID]*Folder // folders whose id the index records; built at the first use
}

// byID returns the lines of a tree whose id the index records.
func (t *indexTrees) byID(id git.ID) ([]objects.TreeEntry, bool) {
	if t.folders == nil {
		t.folders = make(map[git.ID]*Folder, len(t.cached))
		for _, f := range t.index.Folders {
			if c, ok := t.cached[f.Path]; ok && c.entries == f.end-f.first {
				t.folders[c.id] = f
			}
		}
	}
	f, ok := t.folders[id]
	if !ok {
		return nil, false
	}
	return t.lines(f), true
}

// id returns the id of the tree that a folder of the index would be written as, or "" for a folder
// without content.
func (t *indexTrees) id(f *Folder) git.ID {
	if c, ok := t.cached[f.Path]; ok && c.entries == f.end-f.first {
		return c.id
	}
	lines := t.lines(f)
	if len(lines) == 0 {
		return ""
	}
	id := treeID(lines, t.index.ids)
	t.objects.Trees[id] = lines
	return id
}

func (t *indexTrees) lines(f *Folder) []objects.TreeEntry {
	var lines []objects.TreeEntry
	folders := func(before int, subs []*Folder) []*Folder {
		for len(subs) > 0 && subs[0].first < before {
			if id := t.id(subs[0]); id != "" {
				name := subs[0].Path[len(f.Path) : len(subs[0].Path)-1]
				lines = append(lines, objects.TreeEntry{Name: name, Mode: git.ModeDir, Hash: id})
			}
			subs = subs[1:]
		}
		return subs
	}
	subs := f.subs
	for _, s := range f.Spans {
		subs = folders(s.From, subs)
		for i := s.From; i < s.To; i++ {
			if e := &t.index.Entries[i]; e.Merged() {
				lines = append(lines, objects.TreeEntry{Name: e.Name[len(f.Path):], Mode: e.Mode(), Hash: e.ID()})
			}
		}
	}
	folders(f.end, subs)
	return lines
}

func treeID(lines []objects.TreeEntry, ids git.Algorithm) git.ID {
	var body []byte
	for _, e := range lines {
		body = append(strconv.AppendUint(body, uint64(e.Mode), 8), ' ')
		body = append(append(body, e.Name...), 0)
		body = append(body, e.Hash...)
	}
	h := ids.Object("tree", int64(len(body)))
	h.Write(body)
	return git.ID(h.Sum(nil))
}

// cachedTree is a tree that the index records. It is valid until an entry below it changes.
type cachedTree struct {
	entries int // how many entries of the index it covers
	id      git.ID
}

// parseCacheTree reads the valid trees of the cache-tree extension (gitformat-index(5)), by folder.
// It leaves out damaged parts, because the extension only saves work.
func parseCacheTree(raw []byte, ids git.Algorithm) map[string]cachedTree {
	trees := map[string]cachedTree{}
	type level struct {
		path string
		left int // folders that are still to come
	}
	var open []level
	for {
		name, tree, subs, rest, ok := cacheTreeRecord(raw, ids)
		if !ok {
			return trees
		}
		raw = rest
		path := ""
		if len(open) > 0 {
			open[len(open)-1].left--
			path = open[len(open)-1].path + name + "/"
		}
		if tree.entries >= 0 {
			trees[path] = tree
		}
		open = append(open, level{path, subs})
		for len(open) > 0 && open[len(open)-1].left == 0 {
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			return trees
		}
	}
}

// cacheTreeRecord reads "name NUL entries SP subtrees LF", and the tree's id unless the number of
// entries is -1.
func cacheTreeRecord(raw []byte, ids git.Algorithm) (name string, tree cachedTree, subs int, rest []byte, ok bool) {
	end := bytes.IndexByte(raw, 0)
	line := bytes.IndexByte(raw[max(end, 0):], '\n')
	if end < 0 || line < 0 {
		return "", tree, 0, nil, false
	}
	entries, folders, ok := bytes.Cut(raw[end+1:end+line], []byte(" "))
	var err1, err2 error
	tree.entries, err1 = strconv.Atoi(string(entries))
	subs, err2 = strconv.Atoi(string(folders))
	rest = raw[end+line+1:]
	if !ok || err1 != nil || err2 != nil || subs < 0 {
		return "", tree, 0, nil, false
	}
	if tree.entries < 0 {
		return string(raw[:end]), tree, subs, rest, true
	}
	if len(rest) < ids.Size() {
		return "", tree, 0, nil, false
	}
	tree.id = git.ID(rest[:ids.Size()])
	return string(raw[:end]), tree, subs, rest[ids.Size():], true
}

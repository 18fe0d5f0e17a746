package gitwatch

import (
	"context"
	"strconv"

	"agentflow/gitwatch/internal/git"
)

// headDiff lists the paths where the index differs from a tree, with what the
// tree holds. Only trees of folders that differ are read: the index remembers
// the ids of its folders, and those that have changed since are computed from
// its entries, which stand in tree order.
func (x *gitIndex) headDiff(ctx context.Context, o *objects, tree git.ID) (map[string]file, error) {
	if _, root, _, _, ok := cacheTreeRecord(x.trees, x.ids); ok && root.entries == len(x.entries) && root.id == tree {
		return nil, nil
	}
	t := &indexTrees{index: x, objects: o, cached: cacheTree(x.trees, x.ids)}
	o.inIndex = t.byID
	changes, err := o.diffTrees(ctx, tree, t.id(x.folders[0]))
	o.inIndex = nil
	inTree := make(map[string]file, len(changes))
	for _, ch := range changes {
		inTree[ch.path] = ch.before
	}
	return inTree, err
}

// indexTrees are the trees that an index would be written as.
type indexTrees struct {
	index   *gitIndex
	objects *objects
	cached  map[string]cachedTree
	folders map[git.ID]*folder // of which the index remembers the id; made when one is asked for
}

// byID are the lines of a tree whose id the index remembers.
func (t *indexTrees) byID(id git.ID) ([]treeEntry, bool) {
	if t.folders == nil {
		t.folders = make(map[git.ID]*folder, len(t.cached))
		for _, f := range t.index.folders {
			if c, ok := t.cached[f.path]; ok && c.entries == f.end-f.first {
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

// id is that of the tree a folder of the index would be written as; none for
// one without content.
func (t *indexTrees) id(f *folder) git.ID {
	if c, ok := t.cached[f.path]; ok && c.entries == f.end-f.first {
		return c.id
	}
	lines := t.lines(f)
	if len(lines) == 0 {
		return ""
	}
	id := treeID(lines, t.index.ids)
	t.objects.trees[id] = lines
	return id
}

// lines are the lines of that tree.
func (t *indexTrees) lines(f *folder) []treeEntry {
	var lines []treeEntry
	folders := func(before int, subs []*folder) []*folder {
		for len(subs) > 0 && subs[0].first < before {
			if id := t.id(subs[0]); id != "" {
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
			if e := &t.index.entries[i]; e.merged() {
				lines = append(lines, treeEntry{e.name[len(f.path):], e.mode(), e.id()})
			}
		}
	}
	folders(f.end, subs)
	return lines
}

func treeID(lines []treeEntry, ids git.Algorithm) git.ID {
	var body []byte
	for _, e := range lines {
		body = append(strconv.AppendUint(body, uint64(e.mode), 8), ' ')
		body = append(append(body, e.name...), 0)
		body = append(body, e.hash...)
	}
	h := ids.Object("tree", int64(len(body)))
	h.Write(body)
	return git.ID(h.Sum(nil))
}

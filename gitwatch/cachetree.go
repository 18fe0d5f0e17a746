package gitwatch

import (
	"bytes"
	"strconv"

	"agentflow/gitwatch/internal/git"
)

// cachedTree is what the index remembers of the tree that it was read from or
// written to: valid until an entry below it changes.
type cachedTree struct {
	entries int // of the index, that it stands for
	id      git.ID
}

// cacheTree reads the cache-tree extension (gitformat-index(5)): the trees
// that are valid, by folder. What is damaged is left out, for it only spares
// work.
func cacheTree(raw []byte, ids git.Algorithm) map[string]cachedTree {
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

// cacheTreeRecord reads "name NUL entries SP subtrees LF", and the tree's id
// unless the number of entries is -1.
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

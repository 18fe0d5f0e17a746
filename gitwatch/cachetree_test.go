package gitwatch

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"agentflow/gitwatch/internal/git"
	"agentflow/internal/testing/gittest"
)

// TestCacheTree compares the trees that the index remembers with those that
// are computed from its entries, and with git's.
func TestCacheTree(t *testing.T) {
	f := newFixture(t)
	f.Commit("base", "a", "a", "d/b", "b", "d/e/c", "c", "d.x/y", "y", "z/z", "z")
	read := func() *gitIndex {
		raw, err := os.ReadFile(f.Path(".git/index"))
		gittest.Must(t, err)
		x, err := newIndex(raw, git.SHA1)
		gittest.Must(t, err)
		return x
	}
	x := read()
	computed := indexTrees{index: x, objects: newObjects(nil)}
	if len(x.folders) != 5 || len(cacheTree(x.trees, git.SHA1)) != 5 {
		t.Fatalf("%d folders, %d trees", len(x.folders), len(cacheTree(x.trees, git.SHA1)))
	}
	for _, dir := range x.folders {
		id := strings.TrimSpace(f.Git("rev-parse", "HEAD:"+strings.TrimSuffix(dir.path, "/")))
		gittest.Want(t, "cached "+dir.path, cacheTree(x.trees, git.SHA1)[dir.path].id.String(), id)
		gittest.Want(t, "computed "+dir.path, computed.id(dir).String(), id)
	}
	f.Write("d/e/c", "edited")
	f.Git("add", "d/e/c")
	gittest.Want(t, "valid after git add", strings.Join(sortedKeys(cacheTree(read().trees, git.SHA1)), " "), "d.x/ z/")
	for n := range len(x.trees) { // one that is cut off is read as far as it goes
		for path, tree := range cacheTree(bytes.Clone(x.trees[:n]), git.SHA1) {
			gittest.Want(t, path, tree.id.String(), computed.id(x.folders[0].at(path)).String())
		}
	}
}

// at is the folder of a path in f.
func (f *folder) at(path string) *folder {
	for path != "" {
		var name string
		name, path, _ = strings.Cut(path, "/")
		f = f.sub(name)
	}
	return f
}

package gitindex

import (
	"bytes"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/objects"
	"agentflow/internal/testing/gittest"
)

// TestCacheTree compares the trees that the index remembers with those that
// are computed from its entries, and with git's.
func TestCacheTree(t *testing.T) {
	f := gittest.New(t)
	f.Commit("base", "a", "a", "d/b", "b", "d/e/c", "c", "d.x/y", "y", "z/z", "z")
	read := func() *Index {
		raw, err := os.ReadFile(f.Path(".git/index"))
		gittest.Must(t, err)
		x, err := Parse(raw, git.SHA1)
		gittest.Must(t, err)
		return x
	}
	x := read()
	computed := indexTrees{index: x, objects: objects.New(nil)}
	if len(x.Folders) != 5 || len(parseCacheTree(x.cacheTree, git.SHA1)) != 5 {
		t.Fatalf("%d folders, %d trees", len(x.Folders), len(parseCacheTree(x.cacheTree, git.SHA1)))
	}
	for _, dir := range x.Folders {
		id := strings.TrimSpace(f.Git("rev-parse", "HEAD:"+strings.TrimSuffix(dir.Path, "/")))
		gittest.Want(t, "cached "+dir.Path, parseCacheTree(x.cacheTree, git.SHA1)[dir.Path].id.String(), id)
		gittest.Want(t, "computed "+dir.Path, computed.id(dir).String(), id)
	}
	f.Write("d/e/c", "edited")
	f.Git("add", "d/e/c")
	gittest.Want(t, "valid after git add", strings.Join(slices.Sorted(maps.Keys(parseCacheTree(read().cacheTree, git.SHA1))), " "), "d.x/ z/")
	for n := range len(x.cacheTree) { // one that is cut off is read as far as it goes
		for path, tree := range parseCacheTree(bytes.Clone(x.cacheTree[:n]), git.SHA1) {
			gittest.Want(t, path, tree.id.String(), computed.id(x.Folders[0].at(path)).String())
		}
	}
}

// at is the folder of a path in f.
func (f *Folder) at(path string) *Folder {
	for path != "" {
		var name string
		name, path, _ = strings.Cut(path, "/")
		f = f.Sub(name)
	}
	return f
}

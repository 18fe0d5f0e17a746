package gitwatch

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestCacheTree compares the trees that the index remembers with those that
// are computed from its entries, and with git's.
func TestCacheTree(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "a", "a", "d/b", "b", "d/e/c", "c", "d.x/y", "y", "z/z", "z")
	read := func() *gitIndex {
		raw, err := os.ReadFile(f.path(".git/index"))
		must(t, err)
		x, err := newIndex(raw)
		must(t, err)
		return x
	}
	x := read()
	computed := indexDiff{index: x, ids: map[*folder]oid{}}
	if len(x.folders) != 5 || len(cacheTree(x.trees)) != 5 {
		t.Fatalf("%d folders, %d trees", len(x.folders), len(cacheTree(x.trees)))
	}
	for _, dir := range x.folders {
		id := strings.TrimSpace(f.git("rev-parse", "HEAD:"+strings.TrimSuffix(dir.path, "/")))
		want(t, "cached "+dir.path, cacheTree(x.trees)[dir.path].id.String(), id)
		want(t, "computed "+dir.path, computed.id(dir).String(), id)
	}
	f.write("d/e/c", "edited")
	f.git("add", "d/e/c")
	want(t, "valid after git add", strings.Join(sortedKeys(cacheTree(read().trees)), " "), "d.x/ z/")
	for n := range len(x.trees) { // one that is cut off is read as far as it goes
		for path, tree := range cacheTree(bytes.Clone(x.trees[:n])) {
			want(t, path, tree.id.String(), computed.id(x.folders[0].at(path)).String())
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

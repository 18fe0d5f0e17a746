package history

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"agentflow/internal/testing/gittest"
)

// TestTree reads the files of two commits, and what they hold.
func TestTree(t *testing.T) {
	r := gittest.New(t)
	r.Write("a.txt", "one")
	r.Write("dir/with space.txt", "")
	r.Git("add", ".")
	r.Git("commit", "-qm", "first")
	r.Write("a.txt", strings.Repeat("two\n", 5000))
	r.Git("rm", "-q", "dir/with space.txt")
	r.Git("commit", "-qam", "second")
	for rev, want := range map[string]map[string]string{
		"HEAD^": {"a.txt": "one", "dir/with space.txt": ""},
		"HEAD":  {"a.txt": strings.Repeat("two\n", 5000)},
	} {
		tree, err := Tree(t.Context(), r.Dir, rev)
		if err != nil {
			t.Fatal(err)
		}
		ids := append(slices.Collect(maps.Values(tree)), strings.Repeat("0", 40)) // the last is not there
		held := map[string]string{}
		if err := Contents(t.Context(), r.Dir, ids, func(id string, content []byte) { held[id] = string(content) }); err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for path, id := range tree {
			got[path] = held[id]
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: %q", rev, got)
		}
	}
	if _, err := Tree(t.Context(), r.Dir, "nowhere"); err == nil {
		t.Error("a commit that is not there has files")
	}
	if err := Contents(t.Context(), r.Dir, nil, nil); err != nil {
		t.Error(err)
	}
}

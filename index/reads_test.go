package index

import (
	"path/filepath"
	"testing"
)

func TestReads(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "repo")
	all := Source{Dir: dir}
	docs := Source{Dir: dir, Include: []string{"docs/**/*.md"}, Ignore: []string{"docs/old"}}
	for _, c := range []struct {
		source Source
		folder string
		want   bool
	}{
		{all, ".", true}, {all, "archive", true}, {all, "..", false}, {all, "../other", false},
		{docs, ".", true}, {docs, "docs", true}, {docs, "docs/deep/er", true}, {docs, "docs/old", false}, {docs, "docs/old/er", false},
		{docs, "src", false}, {docs, ".git", false}, {docs, ".agentflow", false},
	} {
		if got := c.source.Reads(filepath.Join(dir, c.folder)); got != c.want {
			t.Errorf("%v reads %s: %v", c.source.Include, c.folder, got)
		}
	}
}

package config

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestIndexPatternsAddUp checks that a repository may set both lists, and
// cannot revoke what the user ignores.
func TestIndexPatternsAddUp(t *testing.T) {
	dir := t.TempDir()
	user := write(t, filepath.Join(dir, "user.toml"), "[index]\nignore = [\"private/**\"]\n")
	repo := write(t, filepath.Join(dir, "repo.toml"), "[index]\ninclude = [\"docs/**/*.md\"]\nignore = [\"docs/old\"]\n")
	c, problems, err := Load(Layers{UserFile: user, RepoFile: repo})
	if err != nil || len(problems) != 0 {
		t.Fatalf("problems %v, err %v", problems, err)
	}
	if !slices.Equal(c.Index.Include, []string{"docs/**/*.md"}) || !slices.Equal(c.Index.Ignore, []string{"private/**", "docs/old"}) {
		t.Errorf("%+v", c.Index)
	}
	bad := write(t, filepath.Join(dir, "bad.toml"), "[index]\nignore = [\"/etc\"]\n")
	if _, _, err := Load(Layers{RepoFile: bad}); err == nil || !strings.Contains(err.Error(), "index.ignore") {
		t.Errorf("a list that cannot be read: %v", err)
	}
}

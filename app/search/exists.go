package search

import (
	"cmp"
	"os"
	"path/filepath"

	"agentflow/app"
)

// Exists reports whether the work tree holds a path that an entry names.
func Exists(s *app.Repo, path string) bool {
	path = filepath.FromSlash(path)
	if !filepath.IsLocal(path) {
		return false
	}
	_, err := os.Lstat(filepath.Join(cmp.Or(s.Worktree, s.Root), path))
	return err == nil
}

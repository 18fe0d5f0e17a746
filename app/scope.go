package app

import (
	"cmp"
	"path/filepath"
)

// Top returns the folder that paths are relative to.
func Top(s *Repo) string { return cmp.Or(s.Worktree, filepath.Dir(s.Root)) }

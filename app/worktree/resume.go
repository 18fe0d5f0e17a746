package worktree

import (
	"agentflow/app"
	"agentflow/gitwatch/worktree"
	"agentflow/internal/config"
)

// IsWorktree reports whether a folder is a work tree of this repository.
func IsWorktree(s *app.Repo, tree string) bool {
	if tree == s.Worktree {
		return true
	}
	place, err := config.Find(tree, s.Dirs.Home)
	return err == nil && place.Root == s.Root && worktree.SamePath(place.Worktree, tree)
}

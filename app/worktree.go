package app

// GitFolder returns the folder in which git is run for the repository.
func GitFolder(s *Repo) string {
	if s.Worktree == "" {
		return s.CommonDir
	}
	return s.Worktree
}

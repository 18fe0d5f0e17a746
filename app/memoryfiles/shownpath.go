package memoryfiles

import (
	"path/filepath"

	"agentflow/app"
)

// ShownPath returns the path of a memory file as the caller may see it.
func ShownPath(s *app.Repo, path string) string {
	if rest, err := filepath.Rel(s.Root, path); !s.Policy.ShowsPaths() && err == nil {
		return filepath.ToSlash(rest)
	}
	return path
}

package indexes

import (
	"path/filepath"

	"agentflow/app"
	"agentflow/internal/safefile"
)

// HasContents reports whether the names in the files of this work tree are indexed.
func HasContents(s *app.Repo) bool {
	return s.Settings.Index.Contents && s.Contents() != "" && s.HasMemory() && !safefile.LeadsOutside(filepath.Dir(s.Contents()), s.CommonDir)
}

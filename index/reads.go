package index

import "path/filepath"

// Reads says whether Sync looks for files of this source in a folder, given
// by its absolute path, or below it: so that who waits for changes leaves out
// the same folders.
func (s *Source) Reads(folder string) bool {
	rel, err := filepath.Rel(s.Dir, folder)
	if err != nil || !filepath.IsLocal(rel) {
		return false
	}
	return rel == "." || s.enters(filepath.ToSlash(rel))
}

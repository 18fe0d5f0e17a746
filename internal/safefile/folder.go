package safefile

import (
	"os"
	"path/filepath"
)

// IsDir reports whether a path is a folder, or a link to one.
func IsDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// LeadsOutside reports whether dir, with every symlink resolved, is outside root. A repository from another person must
// not make this program write elsewhere.
func LeadsOutside(dir, root string) bool {
	realDir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false // a missing folder will be made in root
	}
	realRoot, err := filepath.EvalSymlinks(root)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(realRoot, realDir)
	return err != nil || !filepath.IsLocal(rel)
}

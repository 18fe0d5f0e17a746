package kept

import "os"

// RemoveEmptyFolders removes the folders that are empty.
func RemoveEmptyFolders(dirs ...string) {
	for _, dir := range dirs {
		_ = os.Remove(dir) // it fails if something is in it
	}
}

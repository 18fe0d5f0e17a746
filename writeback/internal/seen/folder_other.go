//go:build !linux && !darwin

package seen

import "os"

// FolderID identifies a folder among others that were at its path if the system has inodes.
// Otherwise it returns 0, and a replaced folder goes unnoticed.
func FolderID(path string) (uint64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return InodeOf(info), nil
}

//go:build !linux && !darwin

package writeback

import "os"

// folderID identifies a folder among others that were at its path if the system has inodes.
// Otherwise it returns 0, and a replaced folder goes unnoticed.
func folderID(path string) (uint64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return inodeOf(info), nil
}

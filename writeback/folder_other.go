//go:build !linux && !darwin

package writeback

import "os"

// folderID tells a folder from others that stood at its path, where the system
// has inodes; else it is 0, and nothing does.
func folderID(path string) (uint64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return inodeOf(info), nil
}

//go:build !windows

package exchange

import (
	"io/fs"
	"syscall"
)

// inodeOf returns the file's inode number, or 0 if it is unknown.
func inodeOf(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ino
	}
	return 0
}

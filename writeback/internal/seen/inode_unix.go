//go:build !windows

package seen

import (
	"io/fs"
	"syscall"
)

// InodeOf returns the number of a file's inode, or 0 if it has none.
func InodeOf(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ino
	}
	return 0
}

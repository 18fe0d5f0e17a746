//go:build !windows

package exchange

import (
	"io/fs"
	"syscall"
)

// inodeOf is the file's number in its file system.
func inodeOf(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ino
	}
	return 0
}

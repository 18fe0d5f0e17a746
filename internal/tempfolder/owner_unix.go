//go:build unix

package tempfolder

import (
	"os"
	"syscall"
)

// isOwn reports whether this user owns a file.
func isOwn(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

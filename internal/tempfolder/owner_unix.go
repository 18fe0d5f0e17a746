//go:build unix

package tempfolder

import (
	"os"
	"syscall"
)

// isOwn says whether a file is this user's.
func isOwn(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

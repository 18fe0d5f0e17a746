//go:build unix

package repo

import (
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// ownedByUser reports whether a file is the user's. For root behind sudo, files of the user who
// called sudo are, too, as in git.
func ownedByUser(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(st.Uid) == os.Geteuid() {
		return true
	}
	caller, err := strconv.Atoi(os.Getenv("SUDO_UID"))
	return err == nil && os.Geteuid() == 0 && int(st.Uid) == caller
}

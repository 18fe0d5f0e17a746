//go:build unix

package repo

import (
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// ownedByUser says whether a file is the user's. To root behind sudo, files
// of the user who called it are, too, as to git.
func ownedByUser(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(st.Uid) == os.Geteuid() {
		return true
	}
	caller, err := strconv.Atoi(os.Getenv("SUDO_UID"))
	return err == nil && os.Geteuid() == 0 && int(st.Uid) == caller
}

package gitwatch

import (
	"errors"
	"os"
	"syscall"

	"github.com/go-git/go-git/v5/plumbing/format/index"
)

// sameInode compares what the index keeps of a file beside size and time: a
// file put in place with an old time still has a new inode or change time.
func sameInode(info os.FileInfo, e *index.Entry) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || e.CreatedAt.IsZero() {
		return true
	}
	return uint32(st.Ino) == e.Inode && //nolint:gosec // the index keeps 32 bits
		int64(st.Ctim.Sec) == e.CreatedAt.Unix() && int(st.Ctim.Nsec) == e.CreatedAt.Nanosecond()
}

func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

package scan

import (
	"os"
	"syscall"

	"agentflow/gitwatch/internal/gitindex"

	"golang.org/x/sys/unix"
)

// keepsTimes reports whether the file system at path is one of those known to change a folder's
// times whenever a name in it is added or removed. Network and user space file systems may do so
// late or not at all.
func keepsTimes(path string) bool {
	var fs unix.Statfs_t
	if unix.Statfs(path, &fs) != nil {
		return false
	}
	name := unix.ByteSliceToString(fs.Fstypename[:])
	return name == "apfs" || name == "hfs"
}

// identify adds what distinguishes a file from another of the same size and time.
func (s *Stat) identify(info os.FileInfo) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		s.dev, s.ino = uint64(st.Dev), st.Ino //nolint:gosec // only compared
		s.ctime = gitindex.Stamp{Sec: st.Ctimespec.Sec, Nsec: st.Ctimespec.Nsec}
	}
}

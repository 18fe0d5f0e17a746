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
	switch uint32(fs.Type) { //nolint:gosec // a magic number of 32 bits
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.TMPFS_MAGIC,
		unix.F2FS_SUPER_MAGIC, unix.OVERLAYFS_SUPER_MAGIC, zfsMagic, bcachefsMagic:
		return true
	}
	return false
}

const (
	zfsMagic      = 0x2fc12fc1
	bcachefsMagic = 0xca451a4e
)

// identify adds what distinguishes a file from another of the same size and time.
func (s *Stat) identify(info os.FileInfo) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		s.dev, s.ino = uint64(st.Dev), st.Ino                                        //nolint:unconvert // its width differs by architecture
		s.ctime = gitindex.Stamp{Sec: int64(st.Ctim.Sec), Nsec: int64(st.Ctim.Nsec)} //nolint:unconvert // its width differs by architecture
	}
}

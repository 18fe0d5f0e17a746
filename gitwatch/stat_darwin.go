package gitwatch

import (
	"os"
	"syscall"
)

// identify adds what tells a file from another of the same size and time.
func (s *fileStat) identify(info os.FileInfo) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		s.dev, s.ino = uint64(st.Dev), st.Ino //nolint:gosec // only compared
		s.ctime = stamp{st.Ctimespec.Sec, st.Ctimespec.Nsec}
	}
}

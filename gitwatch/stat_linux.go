package gitwatch

import (
	"os"
	"syscall"
)

// identify adds what tells a file from another of the same size and time.
func (s *fileStat) identify(info os.FileInfo) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		s.dev, s.ino = uint64(st.Dev), st.Ino                    //nolint:unconvert // its width differs by architecture
		s.ctime = stamp{int64(st.Ctim.Sec), int64(st.Ctim.Nsec)} //nolint:unconvert // its width differs by architecture
	}
}

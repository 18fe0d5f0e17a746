package seen

import (
	"os"
	"syscall"
)

// FolderID identifies a folder among all that were ever at its path.
func FolderID(path string) (uint64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, nil
	}
	return bornAs(st.Ino, st.Birthtimespec.Sec, st.Birthtimespec.Nsec), nil
}

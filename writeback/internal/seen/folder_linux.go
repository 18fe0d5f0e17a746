package seen

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// FolderID identifies a folder among all that were ever at its path. It includes the time of birth,
// because the next folder that is created is likely to get the inode of the last one that was
// removed.
func FolderID(path string) (uint64, error) {
	var st unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, path, 0, unix.STATX_INO|unix.STATX_BTIME, &st); err != nil {
		return 0, &fs.PathError{Op: "statx", Path: path, Err: err}
	}
	if st.Mask&unix.STATX_BTIME == 0 {
		return st.Ino, nil
	}
	return bornAs(st.Ino, st.Btime.Sec, int64(st.Btime.Nsec)), nil
}

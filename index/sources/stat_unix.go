//go:build linux || darwin

package sources

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// statIn stats a file of an open folder. Looking its name up there takes half
// the time of looking up the whole path.
func statIn(dir *os.File, name string) (signature, error) {
	var st unix.Stat_t
	for {
		err := unix.Fstatat(int(dir.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW)
		if err == nil {
			break
		}
		if err != unix.EINTR {
			return signature{}, &os.PathError{Op: "lstat", Path: name, Err: err}
		}
	}
	modified, changed := time.Unix(st.Mtim.Unix()), time.Unix(st.Ctim.Unix())
	s := signature{size: st.Size, modified: modified.UnixNano(), changedNano: uint64(changed.UnixNano()), node: st.Ino, changed: changed}
	if modified.After(changed) {
		s.changed = modified
	}
	return s, nil
}

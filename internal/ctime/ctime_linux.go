package ctime

import (
	"io/fs"
	"syscall"
	"time"
)

// Of returns the time of the last change; ok is false if the system has none.
func Of(info fs.FileInfo) (at time.Time, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return time.Time{}, false
	}
	return time.Unix(int64(st.Ctim.Sec), int64(st.Ctim.Nsec)), true //nolint:unconvert // its width differs by architecture
}

//go:build !linux && !darwin

package ctime

import (
	"io/fs"
	"time"
)

// Of returns false: here no time of the last change can be had.
func Of(fs.FileInfo) (at time.Time, ok bool) { return time.Time{}, false }

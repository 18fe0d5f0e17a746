//go:build !linux && !darwin

package ctime

import (
	"io/fs"
	"time"
)

// Of returns false: this system has no time of the last change.
func Of(fs.FileInfo) (at time.Time, ok bool) { return time.Time{}, false }

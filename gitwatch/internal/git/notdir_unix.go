//go:build linux || darwin

package git

import (
	"errors"
	"syscall"
)

// IsNotDir says that a file stands where a folder of a path should be.
func IsNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

//go:build linux || darwin

package atomicfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func exchange(a, b string) error {
	err := swap(a, b)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOTSUP):
		return errors.ErrUnsupported // by the system, or by this file system
	}
	return &os.LinkError{Op: "exchange", Old: a, New: b, Err: err}
}

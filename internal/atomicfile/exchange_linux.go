package atomicfile

import (
	"errors"

	"golang.org/x/sys/unix"
)

func exchange(a, b string) error {
	return swapError(a, b, unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE))
}

// cannotSwap says whether the kernel or this file system does not know how.
func cannotSwap(err error) bool {
	return errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP)
}

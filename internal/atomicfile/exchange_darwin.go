package atomicfile

import (
	"errors"

	"golang.org/x/sys/unix"
)

func exchange(a, b string) error {
	return swapError(a, b, unix.RenamexNp(a, b, unix.RENAME_SWAP))
}

// cannotSwap says whether the system or this file system does not know how.
func cannotSwap(err error) bool {
	return errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP)
}

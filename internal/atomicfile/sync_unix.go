//go:build !windows

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	// Some network and FUSE file systems cannot sync a folder. That is not an
	// error, because there is no alternative.
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}

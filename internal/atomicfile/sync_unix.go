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
	// Some network and FUSE file systems cannot sync a folder; there is
	// nothing more to be done on them.
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}

package purge

import (
	"errors"
	"io/fs"
)

// IgnoreAbsent returns err, or nil if err reports a missing file.
func IgnoreAbsent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

package safefile

import (
	"errors"
	"fmt"
	"os"
)

// AppendBounded appends data to a file. If the file would exceed most bytes, it is first renamed to the same name with
// the suffix ".1".
func AppendBounded(path string, data []byte, most int64) error {
	info, err := os.Lstat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s: %w", path, ErrNotRegular)
	case err == nil && info.Size() > 0 && info.Size()+int64(len(data)) > most:
		if err := os.Rename(path, path+".1"); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

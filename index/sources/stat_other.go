//go:build !linux && !darwin

package sources

import (
	"os"
	"path/filepath"
)

// statIn stats a file of an open folder. Only size and modification time are
// available here.
func statIn(dir *os.File, name string) (signature, error) {
	info, err := os.Lstat(filepath.Join(dir.Name(), name))
	if err != nil {
		return signature{}, err
	}
	return signature{size: info.Size(), modified: info.ModTime().UnixNano(), changed: info.ModTime()}, nil
}

package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Probe returns an error if a folder, or its nearest existing parent, cannot be written.
func Probe(dir string) error {
	for {
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			break
		}
		dir = filepath.Dir(dir)
	}
	f, err := os.CreateTemp(dir, ".agentflow-probe-*")
	if err != nil {
		return fmt.Errorf("writing to %s: %w", dir, err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

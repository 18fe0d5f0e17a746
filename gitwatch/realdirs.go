package gitwatch

import (
	"errors"
	"os"
	"path/filepath"
	"sync"

	"agentflow/gitwatch/internal/git"
)

// realDirs knows which folders of the work tree are folders and not links: a
// file behind a linked folder is not the tracked file of that path.
type realDirs struct {
	top   string
	mu    sync.RWMutex
	known map[string]bool
}

// real says whether all parents of path are real folders.
func (d *realDirs) real(path string) (bool, error) {
	for i := len(path) - 1; i > 0; i-- {
		if path[i] == '/' {
			return d.dir(path[:i])
		}
	}
	return true, nil
}

func (d *realDirs) dir(path string) (bool, error) {
	d.mu.RLock()
	real, known := d.known[path]
	d.mu.RUnlock()
	if known {
		return real, nil
	}
	real, err := d.real(path)
	if err != nil {
		return false, err
	}
	if real {
		info, err := os.Lstat(filepath.Join(d.top, filepath.FromSlash(path)))
		if err != nil && !errors.Is(err, os.ErrNotExist) && !git.IsNotDir(err) {
			return false, err
		}
		real = err == nil && info.IsDir()
	}
	d.mu.Lock()
	d.known[path] = real
	d.mu.Unlock()
	return real, nil
}

package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Exchanger is a System that can swap two files.
type Exchanger interface {
	System
	// Exchange swaps two existing files in one step. Its error matches
	// errors.ErrUnsupported if that is not possible.
	Exchange(a, b string) error
}

// ReplaceIf is WriteTo for a file that must hold old. If it has other contents
// or does not exist, made is false and the file stays as it is. A text that
// another program saves at the moment of the replacement is also kept. If the
// system cannot swap files (Windows, some network file systems), a text saved
// between the last comparison and the rename is lost.
func ReplaceIf(sys Exchanger, path string, old, data []byte) (made bool, err error) {
	target, err := resolve(path)
	if err == nil {
		made, err = replaceIf(sys, target, old, data)
	}
	if err != nil {
		return made, fmt.Errorf("replacing %s: %w", path, err)
	}
	return made, nil
}

func replaceIf(sys Exchanger, target string, old, data []byte) (made bool, err error) {
	info, err := os.Stat(target)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if same, err := hold(target, old); !same {
		return false, err
	}
	dir := filepath.Dir(target)
	temp, err := fill(sys, dir, filepath.Base(target), info.Mode().Perm(), all(data))
	if err != nil {
		return false, err
	}
	swap, err := readyToSwap(sys, temp, old, data)
	if err != nil {
		return false, err
	}
	made, err = swapIn(sys, swap, target, old, data)
	if err != nil || !made {
		return false, err
	}
	if err := sys.SyncDir(dir); err != nil {
		return true, fmt.Errorf("syncing its folder: %w", err)
	}
	return true, nil
}

// swapIn replaces target by swap, which holds data, if target holds old.
func swapIn(sys Exchanger, swap, target string, old, data []byte) (made bool, err error) {
	// Compare again, because writing the file took time. A swap that has to be
	// undone is harmful: a program that reads data in between may later save
	// over the text that was restored.
	if same, err := hold(target, old); !same {
		return false, errors.Join(err, sys.Remove(swap))
	}
	err = sys.Exchange(swap, target)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		if same, err := hold(target, old); !same {
			return false, errors.Join(err, sys.Remove(swap))
		}
		if err := sys.Rename(swap, target); err != nil {
			return false, errors.Join(err, sys.Remove(swap))
		}
		return true, nil
	case errors.Is(err, fs.ErrNotExist):
		return false, sys.Remove(swap) // target was removed a moment ago
	case err != nil:
		return false, errors.Join(err, sys.Remove(swap))
	}
	saved, err := os.ReadFile(swap)
	if err != nil {
		return false, err // RecoverSwaps decides later which text to keep
	}
	if bytes.Equal(saved, old) {
		return true, sys.Remove(swap)
	}
	return false, giveBack(sys, swap, target, saved, data)
}

// hold reports whether the file holds exactly data.
func hold(path string, data []byte) (bool, error) {
	now, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && bytes.Equal(now, data), err
}

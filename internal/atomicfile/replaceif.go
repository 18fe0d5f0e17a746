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
	// Exchange swaps two files that are there, in one step; its error matches
	// errors.ErrUnsupported where that cannot be done.
	Exchange(a, b string) error
}

// ReplaceIf is WriteTo for a file that has to hold old. When it holds
// something else, or is not there, made is false and it stays as it is: also
// a text that another program saves in the very moment of replacing is kept. Where
// the system cannot swap files (Windows, some network file systems) that
// moment, between the last look and the renaming, stays open.
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
	temp, err := fill(sys, dir, filepath.Base(target), data, info.Mode().Perm())
	if err != nil {
		return false, err
	}
	made, err = swapIn(sys, temp, target, old, data)
	if err != nil || !made {
		return false, err
	}
	if err := sys.SyncDir(dir); err != nil {
		return true, fmt.Errorf("syncing its folder: %w", err)
	}
	return true, nil
}

// swapIn puts temp, which holds data, in the place of target if that holds
// old. temp is gone in the end.
func swapIn(sys Exchanger, temp, target string, old, data []byte) (made bool, err error) {
	// Writing temp took a while. The fewer swaps have to be given back the
	// better: in between, others see data.
	if same, err := hold(target, old); !same {
		return false, errors.Join(err, sys.Remove(temp))
	}
	err = sys.Exchange(temp, target)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		if same, err := hold(target, old); !same {
			return false, errors.Join(err, sys.Remove(temp))
		}
		if err := sys.Rename(temp, target); err != nil {
			return false, errors.Join(err, sys.Remove(temp))
		}
		return true, nil
	case errors.Is(err, fs.ErrNotExist):
		return false, sys.Remove(temp) // taken away a moment ago
	case err != nil:
		return false, errors.Join(err, sys.Remove(temp))
	}
	saved, err := os.ReadFile(temp)
	if err != nil || bytes.Equal(saved, old) {
		return err == nil, errors.Join(err, sys.Remove(temp))
	}
	return false, giveBack(sys, temp, target, saved, data)
}

// giveBack swaps until the text that others saved last stands at target, where
// data does now; temp holds saved, which came before it.
func giveBack(sys Exchanger, temp, target string, saved, data []byte) error {
	expected := data
	for {
		if err := sys.Exchange(temp, target); err != nil {
			return fmt.Errorf("giving back what was saved meanwhile, it is in %s: %w", temp, err)
		}
		found, err := os.ReadFile(temp)
		if err != nil || bytes.Equal(found, expected) {
			return errors.Join(err, sys.Remove(temp))
		}
		expected, saved = saved, found // saved once more: that is newer
	}
}

// hold says whether the file holds exactly data.
func hold(path string, data []byte) (bool, error) {
	now, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && bytes.Equal(now, data), err
}

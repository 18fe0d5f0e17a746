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

// swapIn puts swap, which holds data, in the place of target if that holds
// old.
func swapIn(sys Exchanger, swap, target string, old, data []byte) (made bool, err error) {
	// Writing it took a while. The fewer swaps have to be given back the
	// better: who reads in between reads data, and who saves what he made of
	// it later saves over the text that was given back.
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
		return false, sys.Remove(swap) // taken away a moment ago
	case err != nil:
		return false, errors.Join(err, sys.Remove(swap))
	}
	saved, err := os.ReadFile(swap)
	if err != nil {
		return false, err // RecoverSwaps looks again whose text it is
	}
	if bytes.Equal(saved, old) {
		return true, sys.Remove(swap)
	}
	return false, giveBack(sys, swap, target, saved, data)
}

// hold says whether the file holds exactly data.
func hold(path string, data []byte) (bool, error) {
	now, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && bytes.Equal(now, data), err
}

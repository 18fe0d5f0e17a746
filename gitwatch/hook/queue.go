package hook

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"agentflow/internal/filelock"
)

const (
	folderName = "hook"   // of everything here, in agentflow's folder
	queueName  = "queue"  // what hooks append to
	lockName   = "lock"   // held by the one that takes
	missedName = "missed" // made by a hook that could not append
	// missedBeside is the same beside agentflow's folder, for when that
	// cannot be written.
	missedBeside = "agentflow-missed"
)

// takeWait is how long Take waits for another one.
const takeWait = 2 * time.Second

// Pending says, by one stat, whether there are any events. dir is agentflow's
// folder in the git directory.
func Pending(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, folderName, queueName))
	return err == nil && info.Size() > 0
}

// Take hands all waiting events, oldest first, to use and forgets them when
// it returns nil; after an error, and after a crash in between, they are
// handed out again. Lines that cannot be read are skipped and counted in
// damaged, and so are events that a hook could not write: then only the
// reflog knows what they were. use is not called when there is nothing. While
// another process is at it for more than two seconds, Take leaves it to that
// one. ctx ends the waiting only.
func Take(ctx context.Context, dir string, use func(events []Event, damaged int) error) error {
	folder := filepath.Join(dir, folderName)
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	lock, err := filelock.Acquire(ctx, filepath.Join(folder, lockName), filelock.Self("hook", time.Now()), takeWait)
	if held := new(filelock.HeldError); errors.As(err, &held) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("taking what hooks noted: %w", err)
	}
	if err := errors.Join(take(dir, use), lock.Release()); err != nil {
		return fmt.Errorf("taking what hooks noted: %w", err)
	}
	return nil
}

// take goes on until nothing is left: a hook may have opened the queue before
// it was put away and have written to it since.
func take(dir string, use func([]Event, int) error) error {
	for {
		parts, err := waiting(filepath.Join(dir, folderName))
		if err != nil {
			return err
		}
		missed := marks(dir)
		var events []Event
		damaged := len(missed)
		for _, p := range parts {
			events, damaged = append(events, p.events...), damaged+p.damaged
		}
		if len(events)+damaged == 0 {
			return sweep(parts)
		}
		locate(filepath.Dir(dir), events)
		if err := use(events, damaged); err != nil {
			return err
		}
		for _, p := range parts {
			err = errors.Join(err, p.forget())
		}
		for _, mark := range missed {
			err = errors.Join(err, os.Remove(mark))
		}
		if err != nil {
			return err
		}
	}
}

// marks are the files that say that something could not be noted.
func marks(dir string) (found []string) {
	for _, path := range []string{filepath.Join(dir, folderName, missedName), filepath.Join(filepath.Dir(dir), missedBeside)} {
		if _, err := os.Lstat(path); err == nil {
			found = append(found, path)
		}
	}
	return found
}

// Missed says when a hook last could not note something, if nobody has taken
// that yet.
func Missed(dir string) (at time.Time, missed bool) {
	for _, mark := range marks(dir) {
		if info, err := os.Stat(mark); err == nil && info.ModTime().After(at) {
			at, missed = info.ModTime(), true
		}
	}
	return at, missed
}

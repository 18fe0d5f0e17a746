package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"agentflow/internal/filelock"
)

// watchLock is the lock that a watcher of this repository holds.
const watchLock = "watch.lock"

// watchLockWait is how long a lock may look taken because somebody asks for
// its holder at this very moment.
const watchLockWait = 500 * time.Millisecond

// watchObject is a running watcher in `status --json`.
type watchObject struct {
	Verb  string    `json:"verb"` // watch or daemon
	PID   int       `json:"pid"`
	Host  string    `json:"host"`
	Since time.Time `json:"since"`
}

// claim is the right to be the only watcher.
type claim struct {
	lock *filelock.Lock
	path string
	file os.FileInfo
}

// claimWatch takes the right to watch this repository, for all its work
// trees. verb is what it is taken for: watch or daemon.
func (s *site) claimWatch(ctx context.Context, verb string) (*claim, error) {
	var failed error
	for _, dir := range s.stateFolders() {
		path := filepath.Join(dir, watchLock)
		err := os.MkdirAll(dir, 0o700)
		if err == nil {
			var lock *filelock.Lock
			if lock, err = filelock.Acquire(ctx, path, filelock.Self(verb, time.Now()), watchLockWait); err == nil {
				return newClaim(lock, path)
			}
		}
		var held *filelock.HeldError
		if errors.As(err, &held) {
			return nil, &Error{Kind: KindRefused, Err: fmt.Errorf("watching %s: %s does so already", s.Memory(), held.Holder),
				Hint: "one watcher is enough for a repository and its linked work trees; 'agentflow status' shows it"}
		}
		failed = errors.Join(failed, err)
	}
	return nil, fmt.Errorf("watching %s: %w", s.Memory(), failed)
}

func newClaim(lock *filelock.Lock, path string) (*claim, error) {
	file, err := os.Stat(path)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("watching: %w", err), lock.Release())
	}
	return &claim{lock: lock, path: path, file: file}, nil
}

// errGone is the end of a watcher whose repository is not where it was.
var errGone = errors.New("the repository was moved or removed, or agentflow was uninstalled from it")

// stands is an error when the lock file is not there any more: what this
// process would write then, it would write into nowhere, or undo an
// uninstall.
func (c *claim) stands() error {
	now, err := os.Stat(c.path)
	if err != nil || !os.SameFile(now, c.file) {
		return fmt.Errorf("watching: %s is gone: %w", c.path, errGone)
	}
	return nil
}

// watching is the running watcher of this repository; nil when there is none.
func (s *site) watching() (*watchObject, error) {
	for _, dir := range s.stateFolders() {
		path := filepath.Join(dir, watchLock)
		held, err := filelock.Held(path)
		if err != nil {
			return nil, err
		}
		if held {
			h := filelock.Read(path)
			return &watchObject{Verb: h.Command, PID: h.PID, Host: h.Host, Since: h.Since}, nil
		}
	}
	return nil, nil
}

// stateFolders are where a repository's own state may be: out of the work
// tree, or in the user's folders where that cannot be written.
func (s *site) stateFolders() []string {
	folders := []string{s.State()}
	if fallback := s.dirs.Fallback(s.Place); fallback != "" {
		folders = append(folders, fallback)
	}
	return folders
}

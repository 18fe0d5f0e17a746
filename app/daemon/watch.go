package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/run"
	"agentflow/app/upkeep"
	"agentflow/index/watch"
	"agentflow/internal/config"
	"agentflow/internal/filelock"
)

// WatchRequest configures the wait for changes. Both texts have the form of the
// settings; an empty text means the value of the settings.
type WatchRequest struct {
	Debounce string // index when nothing has changed for this long: 300ms
	Poll     string // look at the files after every such duration: 10s; 0 waits for events
}

// Watch keeps the index up to date until ctx ends, which is its normal end, or
// the repository is removed, which is an error. If another process does so, the
// error is of KindRefused.
func Watch(ctx context.Context, m *app.Memory, req WatchRequest) (result run.Done, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	s, lock, err := watcher(ctx, o, "watch", req)
	if err == nil {
		err = errors.Join(watchIndex(ctx, s, lock), lock.Lock.Release())
	}
	return result, err
}

func (req WatchRequest) overlay(settings *config.Config) error {
	return run.Overlay(settings, run.FlagKey{Flag: "debounce", Key: "watch.debounce", Text: req.Debounce}, run.FlagKey{Flag: "poll", Key: "watch.poll", Text: req.Poll})
}

// watcher opens the memory as its only watcher.
func watcher(ctx context.Context, o *app.Operation, command string, req WatchRequest) (*app.Repo, *upkeep.WatchLock, error) {
	s, err := o.OpenToRead(ctx)
	if err != nil {
		return nil, nil, err
	}
	if err := req.overlay(s.Settings); err != nil {
		return nil, nil, err
	}
	lock, err := lockWatch(ctx, s, command)
	return s, lock, err
}

func watchIndex(ctx context.Context, s *app.Repo, lock *upkeep.WatchLock) error {
	s.Patient = true
	ctx, end := context.WithCancelCause(ctx)
	u := &upkeep.Updater{Repo: s, Lock: lock, End: end}
	u.Completer = upkeep.NewCompleter(u.Complete, func(err error) { u.Notice(err.Error()) }, func() {
		u.Mu.Lock()
		defer u.Mu.Unlock()
		u.Repo.Say("no vector is missing any more")
	})
	var beside sync.WaitGroup
	beside.Go(func() { u.Completer.Run(ctx) })
	beside.Go(func() { u.SettleNoted(ctx) })
	beside.Go(func() { u.KeepContents(ctx) })
	err := watch.Run(ctx, u.Options(ctx), u.Update)
	end(nil)
	beside.Wait()
	if why := context.Cause(ctx); errors.Is(why, upkeep.ErrGone) || app.IsSwitchedOff(why) {
		err = why
	}
	return errors.Join(err, u.Close())
}

const watchLockFile = "watch.lock"

// watchLockWait outlasts a lock that looks taken because another process is asking for
// its holder.
const watchLockWait = 500 * time.Millisecond

// lockWatch takes the right to watch this repository, for all its work trees.
// command is the holder's command: watch or daemon.
func lockWatch(ctx context.Context, s *app.Repo, command string) (*upkeep.WatchLock, error) {
	var failed error
	for _, dir := range stateFolders(s) {
		path := filepath.Join(dir, watchLockFile)
		err := os.MkdirAll(dir, 0o700)
		if err == nil {
			var lock *filelock.Lock
			if lock, err = filelock.Acquire(ctx, path, filelock.Self(command, time.Now()), watchLockWait); err == nil {
				return newWatchLock(lock, path)
			}
		}
		var held *filelock.HeldError
		if errors.As(err, &held) {
			return nil, &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("watching %s: %s does so already", s.Memory(), held.Holder),
				Hint: "one watcher is enough for a repository and its linked work trees; 'agentflow status' shows it"}
		}
		failed = errors.Join(failed, err)
	}
	return nil, fmt.Errorf("watching %s: %w", s.Memory(), failed)
}

func newWatchLock(lock *filelock.Lock, path string) (*upkeep.WatchLock, error) {
	file, err := os.Stat(path)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("watching: %w", err), lock.Release())
	}
	return &upkeep.WatchLock{Lock: lock, Path: path, File: file}, nil
}

// Watching returns the running watcher of this repository; nil if there is none.
func Watching(s *app.Repo) (*api.Watcher, error) {
	for _, dir := range stateFolders(s) {
		path := filepath.Join(dir, watchLockFile)
		held, err := filelock.Held(path)
		if err != nil {
			return nil, err
		}
		if held {
			h := filelock.Read(path)
			return &api.Watcher{Command: h.Command, PID: h.PID, Host: h.Host, Since: h.Since}, nil
		}
	}
	return nil, nil
}

// stateFolders returns the folders for a repository's state: one out of the work
// tree, or in the user's folders if the first cannot be written.
func stateFolders(s *app.Repo) []string {
	folders := []string{s.State()}
	if fallback := s.Dirs.Fallback(s.Place); fallback != "" {
		folders = append(folders, fallback)
	}
	return folders
}

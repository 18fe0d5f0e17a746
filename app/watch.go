package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"agentflow/api"
	"agentflow/config"
	"agentflow/index"
	"agentflow/index/watch"
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
func Watch(ctx context.Context, m *Memory, req WatchRequest) (result Done, err error) {
	o := m.begin(ctx)
	defer o.end(&result.Degraded, &err)
	s, lock, err := watcher(ctx, o, "watch", req)
	if err == nil {
		err = errors.Join(watchIndex(ctx, s, lock), lock.lock.Release())
	}
	return result, err
}

func (req WatchRequest) overlay(settings *config.Config) error {
	return overlay(settings, flagKey{"debounce", "watch.debounce", req.Debounce}, flagKey{"poll", "watch.poll", req.Poll})
}

// watcher opens the memory as its only watcher.
func watcher(ctx context.Context, o *operation, command string, req WatchRequest) (*openMemory, *watchLock, error) {
	s, err := o.openToRead(ctx)
	if err != nil {
		return nil, nil, err
	}
	if err := req.overlay(s.settings); err != nil {
		return nil, nil, err
	}
	lock, err := lockWatch(ctx, s, command)
	return s, lock, err
}

func watchIndex(ctx context.Context, s *openMemory, lock *watchLock) error {
	s.patient = true
	ctx, end := context.WithCancelCause(ctx)
	u := &updater{openMemory: s, lock: lock, end: end}
	u.completer = newCompleter(u.complete, func(err error) { u.notice(err.Error()) }, func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.say("no vector is missing any more")
	})
	var beside sync.WaitGroup
	beside.Go(func() { u.completer.run(ctx) })
	beside.Go(func() { u.settleNoted(ctx) })
	beside.Go(func() { u.keepContents(ctx) })
	err := watch.Run(ctx, u.options(ctx), u.update)
	end(nil)
	beside.Wait()
	if why := context.Cause(ctx); errors.Is(why, errGone) || isSwitchedOff(why) {
		err = why
	}
	return errors.Join(err, u.close())
}

func (u *updater) options(ctx context.Context) watch.Options {
	sources := u.sources(ctx)
	o := watch.Options{Debounce: u.settings.Watch.Debounce, Poll: u.settings.Watch.Poll, Notice: u.notice,
		Ignore: func(folder string) bool {
			return folder == filepath.Dir(u.Index()) || folder == u.State() ||
				!slices.ContainsFunc(sources, func(src index.Source) bool { return src.Reads(folder) })
		},
	}
	for _, src := range sources {
		o.Roots = append(o.Roots, src.Dir)
	}
	return o
}

const watchLockFile = "watch.lock"

// watchLockWait is how long a lock may look taken because another process is asking for
// its holder at this moment.
const watchLockWait = 500 * time.Millisecond

// watchLock is the right to be the only watcher.
type watchLock struct {
	lock *filelock.Lock
	path string
	file os.FileInfo
}

// lockWatch takes the right to watch this repository, for all its work trees.
// command is the holder's command: watch or daemon.
func lockWatch(ctx context.Context, s *openMemory, command string) (*watchLock, error) {
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
			return nil, &Error{Kind: KindRefused, Err: fmt.Errorf("watching %s: %s does so already", s.Memory(), held.Holder),
				Hint: "one watcher is enough for a repository and its linked work trees; 'agentflow status' shows it"}
		}
		failed = errors.Join(failed, err)
	}
	return nil, fmt.Errorf("watching %s: %w", s.Memory(), failed)
}

func newWatchLock(lock *filelock.Lock, path string) (*watchLock, error) {
	file, err := os.Stat(path)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("watching: %w", err), lock.Release())
	}
	return &watchLock{lock: lock, path: path, file: file}, nil
}

// errGone ends a watcher when its repository is no longer at its path.
var errGone = errors.New("the repository was moved or removed, or agentflow was uninstalled from it")

// check returns an error if the lock file no longer exists: this process
// would then write into removed files, or undo an uninstall.
func (w *watchLock) check() error {
	now, err := os.Stat(w.path)
	if err != nil || !os.SameFile(now, w.file) {
		return fmt.Errorf("watching: %s is gone: %w", w.path, errGone)
	}
	return nil
}

// watching returns the running watcher of this repository; nil if there is none.
func watching(s *openMemory) (*api.Watcher, error) {
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
func stateFolders(s *openMemory) []string {
	folders := []string{s.State()}
	if fallback := s.dirs.Fallback(s.Place); fallback != "" {
		folders = append(folders, fallback)
	}
	return folders
}

package upkeep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"agentflow/app/indexes"
	"agentflow/index"
	"agentflow/index/watch"
	"agentflow/internal/filelock"
)

// Options returns the options for a watch of the files of memory.
func (u *Updater) Options(ctx context.Context) watch.Options {
	sources := indexes.Sources(ctx, u.Repo)
	o := watch.Options{Debounce: u.Repo.Settings.Watch.Debounce, Poll: u.Repo.Settings.Watch.Poll, Notice: u.Notice,
		Ignore: func(folder string) bool {
			return folder == filepath.Dir(u.Repo.Index()) || folder == u.Repo.State() ||
				!slices.ContainsFunc(sources, func(src index.Source) bool { return src.Reads(folder) })
		},
	}
	for _, src := range sources {
		o.Roots = append(o.Roots, src.Dir)
	}
	return o
}

// WatchLock is the right to be the only watcher.
type WatchLock struct {
	Lock *filelock.Lock
	Path string
	File os.FileInfo
}

// ErrGone ends a watcher when its repository is no longer at its path.
var ErrGone = errors.New("the repository was moved or removed, or agentflow was uninstalled from it")

// Check returns an error if the lock file no longer exists: this process
// would then write into removed files, or undo an uninstall.
func (w *WatchLock) Check() error {
	now, err := os.Stat(w.Path)
	if err != nil || !os.SameFile(now, w.File) {
		return fmt.Errorf("watching: %s is gone: %w", w.Path, ErrGone)
	}
	return nil
}

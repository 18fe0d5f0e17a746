package memref

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"agentflow/gitwatch/internal/git"
)

// ErrTooMuch means that a fetch into a private repository was stopped, because it brought more than
// 1 GiB of objects: some 5 million entries.
var ErrTooMuch = errors.New("the remote sends more than 1 GiB")

const (
	maxFetch  = 1 << 30 // bytes on disk
	fetchTick = 250 * time.Millisecond
)

// bounded returns a context for a fetch that begins now. It ends with ErrTooMuch.
func (r Repo) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	since := time.Now().Add(-50 * time.Millisecond) // the clock of files may be behind
	go func() {
		tick := time.NewTicker(fetchTick)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if r.written(since) > cmp.Or(r.maxFetch, maxFetch) {
					cancel(ErrTooMuch)
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}

// written returns how many bytes of objects were written since a time.
func (r Repo) written(since time.Time) (sum int64) {
	r.objects(func(_ string, info fs.FileInfo) {
		if !info.ModTime().Before(since) {
			sum += info.Size()
		}
	})
	return sum
}

// sweep removes the leftovers of a fetch that was stopped.
func (r Repo) sweep() {
	r.objects(func(path string, _ fs.FileInfo) {
		if strings.HasPrefix(filepath.Base(path), "tmp_") {
			_ = os.Remove(path) // Tidy tries again
		}
	})
}

// objects calls f for each file of objects.
func (r Repo) objects(f func(path string, info fs.FileInfo)) {
	_ = filepath.WalkDir(filepath.Join(r.Dir, "objects"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if info, err := d.Info(); err == nil {
				f(path, info)
			}
		}
		return nil
	})
}

// Tidy packs the objects of a private repository when there are many, and removes those that no ref
// leads to. If purged is true it does both now.
func (r Repo) Tidy(ctx context.Context, purged bool) error {
	args := []string{"-c", "gc.auto=2000", "-c", "gc.autoDetach=false", "-c", "gc.pruneExpire=now", "gc", "--quiet"}
	if !purged {
		args = append(args, "--auto")
	}
	cmd, err := git.Command(ctx, r.Dir, args...)
	if err == nil {
		_, err = git.Run(ctx, cmd, "gc", nil)
	}
	return err
}

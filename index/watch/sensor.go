package watch

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// sensor wakes the loop when files may have changed, by events or by polling.
type sensor struct {
	o    Options
	open func() (*notifier, error)
	wake func()
}

// prepare returns a function that senses changes until its context ends.
// Changes after prepare returns are sensed, even before that function starts.
func (s *sensor) prepare(ctx context.Context) func(context.Context) {
	if s.o.Poll > 0 {
		return s.poll(ctx, s.o.Poll)
	}
	e, err := s.events()
	if err != nil {
		return s.instead(ctx, err)
	}
	return func(ctx context.Context) {
		if err := e.run(ctx); err != nil {
			s.instead(ctx, err)(ctx)
		}
	}
}

// instead polls the files if no events are available.
func (s *sensor) instead(ctx context.Context, why error) func(context.Context) {
	s.o.Notice(fmt.Sprintf("events of the file system cannot be used (%v): looking at the files every %v instead", why, fallbackPoll))
	look := s.poll(ctx, fallbackPoll)
	s.wake() // for changes until now
	return look
}

// poll lists the files at an interval. A listing with files that have just
// changed counts as different from the next one: a second change within one
// tick of the file system's clock leaves no trace in it.
func (s *sensor) poll(ctx context.Context, every time.Duration) func(context.Context) {
	before, fresh := s.o.list(ctx, time.Now())
	return func(ctx context.Context) {
		timer := time.NewTimer(every)
		defer timer.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-timer.C:
			}
			now, young := s.o.list(ctx, time.Now())
			if fresh || now != before {
				s.wake()
			}
			before, fresh = now, young
			timer.Reset(every)
		}
	}
}

// isMarkdown reports whether a file with this name is Markdown.
func isMarkdown(path string) bool { return strings.EqualFold(filepath.Ext(path), ".md") }

// atLimit reports whether the system has no more watches, or no more open
// files, which some systems need for a watch.
func atLimit(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// freshFor limits how long a modified file or folder counts as just changed:
// the coarsest clock of a file system ticks every 2 s (FAT).
const freshFor = 2 * time.Second

// listing is a digest of the names, sizes and modification times of all
// Markdown files below the roots, and of the times of their folders. The
// folders' times show files that appeared and disappeared between two listings,
// which a call in between may have read.
type listing [sha256.Size]byte

// list makes a listing. fresh reports whether a file or folder has just
// changed, by the clock of this machine.
func (o *Options) list(ctx context.Context, now time.Time) (digest listing, fresh bool) {
	l := lister{ignore: o.Ignore, now: now, sum: sha256.New()}
	for _, root := range o.Roots {
		l.above(root)
		l.folder(ctx, root)
	}
	l.sum.Sum(digest[:0])
	return digest, l.fresh
}

type lister struct {
	ignore func(string) bool
	now    time.Time
	sum    hash.Hash
	fresh  bool
}

// folder adds a folder. A folder that cannot be read counts as empty.
func (l *lister) folder(ctx context.Context, dir string) {
	if ctx.Err() != nil {
		return
	}
	if info, err := os.Stat(dir); err == nil {
		l.add(dir, 0, info.ModTime())
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.IsDir() {
			if !l.ignore(path) {
				l.folder(ctx, path)
			}
			continue
		}
		if !isMarkdown(path) {
			continue
		}
		if info, err := e.Info(); err == nil {
			l.add(path, info.Size(), info.ModTime())
		}
	}
}

// above adds the nearest folder above a root that does not exist.
func (l *lister) above(root string) {
	for dir := root; ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err == nil && dir != root {
			l.add(dir, 0, info.ModTime())
		}
		if err == nil || dir == filepath.Dir(dir) {
			return
		}
	}
}

func (l *lister) add(path string, size int64, changed time.Time) {
	var b []byte
	b = binary.LittleEndian.AppendUint64(b, uint64(size))
	b = binary.LittleEndian.AppendUint64(b, uint64(changed.UnixNano()))
	b = append(append(b, path...), 0)
	l.sum.Write(b)
	l.fresh = l.fresh || l.now.Sub(changed).Abs() < freshFor
}

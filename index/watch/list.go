package watch

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"os"
	"path/filepath"
	"time"
)

// freshFor is how long after its modification a file or folder counts as just changed:
// the coarsest clock of a file system ticks every 2 s (FAT).
const freshFor = 2 * time.Second

// listing is a digest of the names, sizes and modification times of all
// Markdown files below the roots, and of the times of their folders: by these
// a file that came and went again between two listings is seen, which a call
// in between may have taken up.
type listing [sha256.Size]byte

// list makes a listing; fresh says that something has just changed, by the
// clock of this machine.
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

// folder adds a folder; one that cannot be read is as good as empty.
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

// above adds the nearest folder above a root that is not there.
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

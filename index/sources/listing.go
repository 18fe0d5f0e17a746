package sources

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// MaxFile limits the bytes of a file. A larger one is skipped and reported. The
// busiest month of entries has a hundredth of it.
const MaxFile = 32 << 20

// fresh is how recent a change must be for the listing not to be trusted:
// another change within one tick of the file system's clock (2 s on FAT) leaves
// no trace.
const fresh = 2 * time.Second

// Files is the listing of the files of some sources.
type Files struct {
	List      []File
	Skipped   []string // "path: reason"
	Digest    []byte   // hash of all names and signatures; nil if a file changed too recently
	unread    []string // prefixes of folders and files that could not be read
	untrusted int      // number of files that came with the repository
}

// Listing is a listing in progress. It is for one Sync, and becomes outdated.
type Listing struct {
	sources []Source
	files   Files
	err     error
	done    chan struct{}
}

// List starts to list the files of sources at the time now. It needs no index,
// so the caller can open one at the same time.
func List(ctx context.Context, now time.Time, sources []Source) *Listing {
	l := &Listing{sources: sources, done: make(chan struct{})}
	go func() {
		defer close(l.done)
		l.files, l.err = list(ctx, now, sources)
	}()
	return l
}

// Sources returns the sources that are listed.
func (l *Listing) Sources() []Source { return l.sources }

// Wait returns the files when the listing is complete.
func (l *Listing) Wait() (Files, error) {
	<-l.done
	return l.files, l.err
}

// list lists all Markdown files of the sources. It does not follow links, which
// could lead out of the folder.
func list(ctx context.Context, now time.Time, sources []Source) (Files, error) {
	var l Files
	for i := range sources {
		w := walker{Files: &l, now: now, source: &sources[i], others: sources}
		if err := w.walk(ctx, sources[i].Dir, ""); err != nil {
			return l, err
		}
	}
	l.sort()
	l.sum()
	return l, nil
}

// sort sorts the newest files last, because a search for a very common word
// reads the chunks that were indexed last. Included files come first. Archives
// come before the daily files next to them, because they are older.
func (l *Files) sort() {
	slices.SortFunc(l.List, func(a, b File) int {
		if a.Included && !b.Included {
			return -1
		}
		if b.Included && !a.Included {
			return 1
		}
		return cmp.Or(cmp.Compare(b.depth, a.depth), strings.Compare(a.Name, b.Name))
	})
	slices.Sort(l.Skipped)
}

// keep adds the files that can be indexed.
func (l *Files) keep(files []File) {
	files = slices.DeleteFunc(files, func(f File) bool {
		switch {
		case errors.Is(f.err, fs.ErrNotExist): // deleted since the folder was read
		case f.err != nil:
			l.skip(f, f.err)
		case f.Size > f.limit():
			l.Skipped = append(l.Skipped, fmt.Sprintf("%s: %d MB, more than %d", strings.TrimPrefix(f.Name, untrustedMark), f.Size>>20, f.limit()>>20))
		default:
			return false
		}
		return true
	})
	if len(l.List) == 0 { // most memories are one folder and need no copy
		l.List = files
		return
	}
	l.List = append(l.List, files...)
}

// skip reports a file that could not be read. The index keeps its chunks.
func (l *Files) skip(f File, why error) {
	l.Skipped = append(l.Skipped, fmt.Sprintf("%s: %v", f.Name, why))
	l.unread = append(l.unread, f.Name)
}

func (l *Files) sum() {
	h := sha256.New()
	var b []byte
	for _, f := range l.List {
		if len(f.Sig) == 0 {
			return
		}
		b = append(append(append(b[:0], f.Name...), 0), f.Sig...)
		h.Write(b)
	}
	l.Digest = h.Sum(nil)
}

// Covers reports whether a name that is not listed does not exist: it is not
// below a folder that could not be read.
func (l *Files) Covers(name string) bool {
	return !slices.ContainsFunc(l.unread, func(p string) bool { return strings.HasPrefix(name, p) })
}

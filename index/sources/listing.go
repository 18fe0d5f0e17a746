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

// MaxFile is the size in bytes above which a file is skipped, and named: a
// hundred times what the busiest month of entries has.
const MaxFile = 32 << 20

// fresh is how long after a change a listing is not trusted: another change
// within one tick of the file system's clock (2 s on FAT) leaves no trace.
const fresh = 2 * time.Second

// Files is what the sources hold, by name only.
type Files struct {
	List      []File
	Skipped   []string // "path: reason"
	Digest    []byte   // of all names and signatures; nil when some are fresh
	unread    []string // prefixes below which nothing is known
	untrusted int      // files that the repository brought
}

// Listing is what sources hold. It is for one Sync, and only as good as it is
// recent.
type Listing struct {
	sources []Source
	files   Files
	err     error
	done    chan struct{}
}

// List begins to look what the sources hold at a time: it needs no index, so
// opening one can go on beside it.
func List(ctx context.Context, now time.Time, sources []Source) *Listing {
	l := &Listing{sources: sources, done: make(chan struct{})}
	go func() {
		defer close(l.done)
		l.files, l.err = list(ctx, now, sources)
	}()
	return l
}

// Sources are those that are listed.
func (l *Listing) Sources() []Source { return l.sources }

// Wait returns what they hold.
func (l *Listing) Wait() (Files, error) {
	<-l.done
	return l.files, l.err
}

// list names all Markdown files of the sources. Links are not followed: they
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

// sort puts the newest last: what is indexed last is what a search of a very
// common word looks at. Included files come first, and archives are older
// than the daily files beside them.
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

// keep takes over the files that can be indexed.
func (l *Files) keep(files []File) {
	files = slices.DeleteFunc(files, func(f File) bool {
		switch {
		case errors.Is(f.err, fs.ErrNotExist): // gone since it was listed
		case f.err != nil:
			l.skip(f, f.err)
		case f.Size > f.limit():
			l.Skipped = append(l.Skipped, fmt.Sprintf("%s: %d MB, more than %d", strings.TrimPrefix(f.Name, untrustedMark), f.Size>>20, f.limit()>>20))
		default:
			return false
		}
		return true
	})
	if len(l.List) == 0 { // most memories are one folder, and need no copy
		l.List = files
		return
	}
	l.List = append(l.List, files...)
}

// skip notes a file that could not be read: what the index holds of it stays.
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

// Covers says whether the listing knows that name is not there: it is not
// below a folder that could not be read.
func (l *Files) Covers(name string) bool {
	return !slices.ContainsFunc(l.unread, func(p string) bool { return strings.HasPrefix(name, p) })
}

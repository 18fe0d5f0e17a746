package index

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
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

// listing is what the sources hold, by name only.
type listing struct {
	files   []found
	skipped []string // "path: reason"
	unread  []string // prefixes below which nothing is known
	brought int      // files that the repository brought
	digest  []byte   // of all names and signatures; nil when some are fresh
}

// found is one file of a listing.
type found struct {
	name     string // prefix and path below it
	dir      string // the folder it is in
	depth    int    // how many folders name goes through
	included bool   // its source's
	size     int64
	sig      []byte // changes with the contents; empty when too fresh to tell
	err      error  // of looking at it
}

func (f *found) base() string { return f.name[strings.LastIndexByte(f.name, '/')+1:] }

// most is the size from which a file is passed over, in bytes.
func (f *found) most() int64 {
	if strings.HasPrefix(f.name, broughtMark) {
		return maxBrought
	}
	return MaxFile
}

func (f *found) file() string { return filepath.Join(f.dir, f.base()) }

// Listing is what sources hold. It is for one Sync, and only as good as it is
// recent.
type Listing struct {
	sources []Source
	listing listing
	err     error
	done    chan struct{}
}

// List begins to look what the sources hold: it needs no index, so opening one
// can go on beside it.
func List(ctx context.Context, sources ...Source) *Listing {
	l := &Listing{sources: sources, done: make(chan struct{})}
	now := time.Now()
	go func() {
		defer close(l.done)
		l.listing, l.err = list(ctx, now, sources)
	}()
	return l
}

func listAt(ctx context.Context, now time.Time, sources []Source) *Listing {
	l := &Listing{sources: sources, done: make(chan struct{})}
	l.listing, l.err = list(ctx, now, sources)
	close(l.done)
	return l
}

func (l *Listing) wait() (listing, error) {
	<-l.done
	return l.listing, l.err
}

// list names all Markdown files of the sources. Links are not followed: they
// could lead out of the folder.
func list(ctx context.Context, now time.Time, sources []Source) (listing, error) {
	var l listing
	for i := range sources {
		w := walker{listing: &l, now: now, source: &sources[i], others: sources}
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
func (l *listing) sort() {
	slices.SortFunc(l.files, func(a, b found) int {
		if a.included && !b.included {
			return -1
		}
		if b.included && !a.included {
			return 1
		}
		return cmp.Or(cmp.Compare(b.depth, a.depth), strings.Compare(a.name, b.name))
	})
	slices.Sort(l.skipped)
}

// keep takes over the files that can be indexed.
func (l *listing) keep(files []found) {
	files = slices.DeleteFunc(files, func(f found) bool {
		switch {
		case errors.Is(f.err, fs.ErrNotExist): // gone since it was listed
		case f.err != nil:
			l.skip(f, f.err)
		case f.size > f.most():
			l.skipped = append(l.skipped, fmt.Sprintf("%s: %d MB, more than %d", strings.TrimPrefix(f.name, broughtMark), f.size>>20, f.most()>>20))
		default:
			return false
		}
		return true
	})
	if len(l.files) == 0 { // most memories are one folder, and need no copy
		l.files = files
		return
	}
	l.files = append(l.files, files...)
}

// skip notes a file that could not be read: what the index holds of it stays.
func (l *listing) skip(f found, why error) {
	l.skipped = append(l.skipped, fmt.Sprintf("%s: %v", f.name, why))
	l.unread = append(l.unread, f.name)
}

func (l *listing) sum() {
	h := sha256.New()
	var b []byte
	for _, f := range l.files {
		if len(f.sig) == 0 {
			return
		}
		b = append(append(append(b[:0], f.name...), 0), f.sig...)
		h.Write(b)
	}
	l.digest = h.Sum(nil)
}

// covers says whether the listing knows that name is not there: it is not
// below a folder that could not be read.
func (l *listing) covers(name string) bool {
	return !slices.ContainsFunc(l.unread, func(p string) bool { return strings.HasPrefix(name, p) })
}

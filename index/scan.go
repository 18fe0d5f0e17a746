package index

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Source is a folder of Markdown files to index.
type Source struct {
	Dir    string // absolute; a missing folder holds no files
	Prefix string // put before paths in hits: "memory/"
}

// MaxFile is the size in bytes above which a file is skipped, and named.
const MaxFile = 64 << 20

// fresh is how long after a change a listing is not trusted: another change
// within one tick of the file system's clock (2 s on FAT) leaves no trace.
const fresh = 2 * time.Second

// listing is what the sources hold, by name only.
type listing struct {
	files   []found
	skipped []string // "path: reason"
	unread  []string // prefixes below which nothing is known
	digest  []byte   // of all names and signatures; nil when some are fresh
}

// found is one file of a listing.
type found struct {
	name  string // prefix and path below it
	dir   string // the folder it is in
	depth int    // how many folders name goes through
	size  int64
	sig   []byte // changes with the contents; empty when too fresh to tell
	err   error  // of looking at it
}

func (f *found) base() string { return f.name[strings.LastIndexByte(f.name, '/')+1:] }

func (f *found) file() string { return filepath.Join(f.dir, f.base()) }

// list names all Markdown files of the sources. Links are not followed: they
// could lead out of the folder.
func list(ctx context.Context, now time.Time, sources []Source) (listing, error) {
	var l listing
	for _, s := range sources {
		if err := l.walk(ctx, now, s.Dir, s.Prefix); err != nil {
			return l, err
		}
	}
	l.sort()
	l.sum()
	return l, nil
}

// sort puts the newest last: what is indexed last is what a search of a very
// common word looks at. Archives are older than the daily files beside them.
func (l *listing) sort() {
	slices.SortFunc(l.files, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.depth, a.depth), strings.Compare(a.name, b.name))
	})
	slices.Sort(l.skipped)
}

func (l *listing) walk(ctx context.Context, now time.Time, dir, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	folders, err := l.folder(now, dir, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.skipped = append(l.skipped, fmt.Sprintf("%s: %v", name, err))
		l.unread = append(l.unread, name)
	}
	for _, f := range folders {
		if err := l.walk(ctx, now, filepath.Join(dir, f), path.Join(name, f)+"/"); err != nil {
			return err
		}
	}
	return nil
}

// folder lists the files of one folder and returns the folders in it.
func (l *listing) folder(now time.Time, dir, name string) (folders []string, err error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	entries, err := d.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	files := make([]found, 0, len(entries))
	depth := strings.Count(name, "/")
	for _, e := range entries {
		switch {
		case e.IsDir():
			folders = append(folders, e.Name())
		case !strings.EqualFold(path.Ext(e.Name()), ".md"):
		case e.Type().IsRegular():
			files = append(files, found{name: name + e.Name(), dir: dir, depth: depth})
		default:
			l.skipped = append(l.skipped, name+e.Name()+": not a regular file")
		}
	}
	statHalves(d, files, now)
	l.keep(files)
	return folders, nil
}

// keep takes over the files that can be indexed.
func (l *listing) keep(files []found) {
	for _, f := range files {
		switch {
		case errors.Is(f.err, fs.ErrNotExist): // gone since it was listed
		case f.err != nil:
			l.skip(f, f.err)
		case f.size > MaxFile:
			l.skipped = append(l.skipped, fmt.Sprintf("%s: %d MB, more than %d", f.name, f.size>>20, MaxFile>>20))
		default:
			l.files = append(l.files, f)
		}
	}
}

// skip notes a file that could not be read: what the index holds of it stays.
func (l *listing) skip(f found, why error) {
	l.skipped = append(l.skipped, fmt.Sprintf("%s: %v", f.name, why))
	l.unread = append(l.unread, f.name)
}

// statHalves looks at the files of an open folder, on two goroutines: this is
// most of what a sync without changes does.
func statHalves(dir *os.File, files []found, now time.Time) {
	half := len(files) / 2
	var wg sync.WaitGroup
	wg.Go(func() { statAll(dir, files[:half], now) })
	statAll(dir, files[half:], now)
	wg.Wait()
}

func statAll(dir *os.File, files []found, now time.Time) {
	sigs := make([]byte, 0, len(files)*sigSize)
	for i := range files {
		f := &files[i]
		s, err := statIn(dir, f.base())
		if err != nil {
			f.err = err
			continue
		}
		f.size = s.size
		if now.Sub(s.changed) >= fresh {
			from := len(sigs)
			sigs = s.append(sigs)
			f.sig = sigs[from:len(sigs):len(sigs)]
		}
	}
}

// signature is what tells two states of a file apart without reading it:
// size, modification time and, where a listing has them, the time of any
// change and the inode. An editor that keeps size and modification time still
// changes one of the others.
type signature struct {
	size, modified    int64 // bytes, Unix nanoseconds
	changedNano, node uint64
	changed           time.Time // the later of both times
}

const sigSize = 32

func (s *signature) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(s.size))
	b = binary.LittleEndian.AppendUint64(b, uint64(s.modified))
	b = binary.LittleEndian.AppendUint64(b, s.changedNano)
	return binary.LittleEndian.AppendUint64(b, s.node)
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

// covers says whether the listing knows that name is not there: it is below
// one of the sources and not below a folder that could not be read.
func (l *listing) covers(name string, sources []Source) bool {
	below := func(p string) bool { return strings.HasPrefix(name, p) }
	return slices.ContainsFunc(sources, func(s Source) bool { return below(s.Prefix) }) && !slices.ContainsFunc(l.unread, below)
}

// Package safefile opens files of a repository that may have been written by an
// untrusted author. Git stores links: a .gitattributes or config.toml may lead
// to /dev/zero, to a named pipe or to an unrelated file of the user.
//
// Guarantees: only a regular file is opened; opening it never waits, and no
// device is ever opened. Links are followed only as Links allows. No more than
// the limit is held in memory. ReadAll, for large files, stops when its context
// ends.
//
// Not guaranteed: that no folder on the way to a file is a link (only Within
// ensures that), or that the file does not change meanwhile.
package safefile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// The reasons for not reading a file.
var (
	ErrNotRegular = errors.New("it is not a regular file")
	ErrTooLarge   = errors.New("it is too large")
	ErrOutside    = errors.New("it is a link that leads outside the repository")
)

// Links determines which symlinks are followed.
type Links struct {
	root string
	any  bool
}

// NoLink follows no link at the end of a path: a link is not a regular file.
var NoLink = Links{}

// AnyLink follows all links, for files for which git does the same.
var AnyLink = Links{any: true}

// Within follows links that stay in a folder, along the whole path below it.
func Within(root string) Links { return Links{root: root} }

// Open opens a regular file for reading. For any other kind of file the error
// is ErrNotRegular, for a file outside ErrOutside; both name the path.
func Open(path string, links Links) (*os.File, error) {
	f, err := links.open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = refused(path, ErrNotRegular) // it was replaced a moment ago
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// OpenFolder opens a folder, or a link to one, for listing.
func OpenFolder(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		err = &os.PathError{Op: "open", Path: path, Err: syscall.ENOTDIR}
	}
	if err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_RDONLY|dontWait, 0)
}

// Read reads a regular file of at most limit bytes. The error is ErrTooLarge if
// it has more.
func Read(path string, links Links, limit int64) ([]byte, error) {
	f, err := Open(path, links)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := readAll(f, limit, func() error { return nil })
	if errors.Is(err, ErrTooLarge) {
		err = fmt.Errorf("read %s: %w (over %s)", path, ErrTooLarge, size(limit))
	}
	return data, err
}

// ReadAll reads an open file of at most limit bytes, until ctx ends.
func ReadAll(ctx context.Context, f *os.File, limit int64) ([]byte, error) {
	return readAll(f, limit, ctx.Err)
}

func readAll(f *os.File, limit int64, ended func() error) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > limit {
		return nil, ErrTooLarge
	}
	data := make([]byte, 0, info.Size()+1)
	for int64(len(data)) <= limit {
		if err := ended(); err != nil {
			return nil, err
		}
		data = slices.Grow(data, 1)
		n, err := f.Read(data[len(data):min(cap(data), len(data)+readAtOnce)])
		data = data[:len(data)+n]
		if errors.Is(err, io.EOF) {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, ErrTooLarge // it grew while it was read
}

// readAtOnce limits the bytes read between checks of the context.
const readAtOnce = 4 << 20

// IsAbsent reports whether an error means that a file does not exist: there is
// nothing at the path, or a file in place of a folder on the way.
func IsAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

func (l Links) open(path string) (*os.File, error) {
	stat, flags := os.Stat, os.O_RDONLY|dontWait
	switch {
	case l.root != "":
		return l.openWithin(path)
	case !l.any:
		stat, flags = os.Lstat, flags|dontFollow
	}
	info, err := stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, refused(path, ErrNotRegular)
	}
	return os.OpenFile(path, flags, 0)
}

// openWithin lets the operating system enforce the folder: a link that changes
// meanwhile cannot lead out of it either.
func (l Links) openWithin(path string) (*os.File, error) {
	rel, err := filepath.Rel(l.root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return nil, refused(path, ErrOutside)
	}
	root, err := os.OpenRoot(l.root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(rel)
	if err == nil && !info.Mode().IsRegular() {
		return nil, refused(path, ErrNotRegular)
	}
	var f *os.File
	if err == nil {
		f, err = root.OpenFile(rel, os.O_RDONLY|dontWait, 0)
	}
	if err == nil {
		return f, nil
	}
	return nil, l.why(path, err)
}

// why names the full path, and replaces the system's unclear message for a link
// that leads outside.
func (l Links) why(path string, err error) error {
	var at *os.PathError
	if !errors.As(err, &at) {
		return err
	}
	var errno syscall.Errno
	if !errors.As(at.Err, &errno) {
		return refused(path, ErrOutside)
	}
	return &os.PathError{Op: "open", Path: path, Err: at.Err}
}

func refused(path string, why error) error {
	return &os.PathError{Op: "open", Path: path, Err: why}
}

func size(limit int64) string {
	if limit >= 1<<20 {
		return fmt.Sprintf("%d MB", limit>>20)
	}
	return fmt.Sprintf("%d KB", limit>>10)
}

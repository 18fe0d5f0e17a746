// Package repofile opens files of a repository that somebody else may have
// written. Git keeps links: a .gitattributes or config.toml may lead to
// /dev/zero, to a named pipe or to a file of the user's that has nothing to do
// with it.
//
// Guarantees: only a regular file is opened; opening it never waits, and no
// device is ever opened. A link is followed only as far as Links says. No more
// than the limit is held in memory; ReadAll, for large files, ends with its context.
//
// Not guaranteed: that a folder on the way to a file is no link (Within sees
// to that, the others do not), or that nobody changes the file meanwhile.
package repofile

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

// The reasons for which a file is not read.
var (
	ErrNotRegular = errors.New("it is not a regular file")
	ErrTooLarge   = errors.New("it is too large")
	ErrOutside    = errors.New("it is a link that leads outside the repository")
)

// Links says which symlinks are followed.
type Links struct {
	root string
	any  bool
}

// NoLink follows none at the end of a path: a link is not a regular file.
var NoLink = Links{}

// AnyLink follows all of them, for files in which git itself does.
var AnyLink = Links{any: true}

// Within follows links that stay in a folder, all along the path below it.
func Within(root string) Links { return Links{root: root} }

// Open opens a regular file for reading. The error is ErrNotRegular or
// ErrOutside where it is something else or elsewhere, and names the path.
func Open(path string, links Links) (*os.File, error) {
	f, err := links.open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = refused(path, ErrNotRegular) // it was another a moment ago
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// OpenFolder opens a folder, or one that a link leads to, to list it.
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

// Read reads a regular file of at most limit bytes; the error is ErrTooLarge
// where it has more.
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
	return nil, ErrTooLarge // it grew meanwhile
}

// readAtOnce is how many bytes are read before the context is asked again.
const readAtOnce = 4 << 20

// IsAbsent says whether an error is that there is no such file: nothing at
// the path, or a file where a folder on the way would be.
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

// openWithin lets the system hold to the folder: a link that is changed
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

// why names the path in full, and replaces the system's words for a link that
// leads outside, which nobody understands.
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

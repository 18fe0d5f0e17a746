package contents

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"agentflow/internal/filelock"
)

// Bounds of what is kept. Files beyond them, in the order of their paths, are not
// known.
const (
	MaxFiles = 200_000
	MaxStems = 1 << 26 // of all files together: about 150 MB on disk
	MaxFile  = 4 << 20 // bytes; a larger file is data
)

// ErrBusy says that another process brings the same file up to date.
var ErrBusy = errors.New("another process is updating the contents index")

// Stat is what lstat says of a file. Times are in nanoseconds since 1970; Ctime and
// Inode are 0 where the system has none.
type Stat struct {
	Size, Mtime, Ctime int64
	Inode              uint64
}

// File is a tracked regular file of a work tree; Path is '/' separated.
type File struct {
	Path string
	Stat
}

// Tree is a work tree.
type Tree struct {
	Dir string
	// Files lists the files that may be read, sorted by path.
	Files func(context.Context) ([]File, error)
	// Ignored says which of them are not; nil: none.
	Ignored func(path string) bool
}

// Options say how Update works. The zero value brings everything up to date.
type Options struct {
	Budget   time.Duration         // ends the reading of files; what was read by then is kept. 0: no limit
	Progress func(done, total int) // receives how many of the files that changed were read; may be nil
	Now      func() time.Time      // nil: time.Now
}

// Report says what an Update did.
type Report struct {
	Files   int // that are known now
	Read    int
	Removed int
	Left    int // files that have changed and were not read yet
	Beyond  int // files that are not known because of MaxFiles and MaxStems
}

// Update brings the file at path up to date with a work tree. It reads only files
// whose size, times or inode differ from when they were read, or that were read
// within two seconds of their last change, when a later one may have left the same
// times. It writes in pieces of about a second: the end of ctx, or of the process,
// loses one of them, and the next Update goes on.
//
// The folder of the file is made where the folder above it is there. A file that is
// damaged or of another version is thrown away and made anew. While another process
// updates it the error is ErrBusy, at once.
func Update(ctx context.Context, path string, tree Tree, o Options) (report Report, err error) {
	lock, err := lockFile(ctx, path)
	if err != nil {
		return report, err
	}
	report, err = update(ctx, path, tree, o)
	if Damaged(err) && ctx.Err() == nil {
		if err = removeFiles(path); err == nil {
			report, err = update(ctx, path, tree, o)
		}
	}
	if err != nil {
		err = fmt.Errorf("updating %s: %w", path, err)
	}
	return report, errors.Join(err, lock.Release())
}

// lockFile takes the right to write the file at path.
func lockFile(ctx context.Context, path string) (*filelock.Lock, error) {
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, err
	}
	lock, err := filelock.Acquire(ctx, path+".lock", filelock.Self("contents", time.Now()), 0)
	if held := new(filelock.HeldError); errors.As(err, &held) {
		return nil, fmt.Errorf("%w: %w", ErrBusy, err)
	}
	return lock, err
}

// Remove removes the file at path, if it is there. While another process updates it
// the error is ErrBusy.
func Remove(ctx context.Context, path string) error {
	if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	lock, err := lockFile(ctx, path)
	if err != nil {
		return err
	}
	return errors.Join(removeFiles(path), lock.Release())
}

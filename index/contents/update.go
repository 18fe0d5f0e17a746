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

// Limits of the index. Files beyond them, in the order of their paths, are left
// out.
const (
	MaxFiles = 200_000
	MaxStems = 1 << 26 // of all files together: about 150 MB on disk
	MaxFile  = 4 << 20 // bytes; larger files are considered data
)

// ErrBusy means that another process is updating the same file.
var ErrBusy = errors.New("another process is updating the contents index")

// Stat holds a file's lstat data. Times are in nanoseconds since 1970. Ctime
// and Inode are 0 on systems without them.
type Stat struct {
	Size, Mtime, Ctime int64
	Inode              uint64
}

// File is a tracked regular file of a work tree. Path is slash-separated.
type File struct {
	Path string
	Stat
}

// Tree is a work tree.
type Tree struct {
	Dir string
	// Files lists the files that may be read, sorted by path.
	Files func(context.Context) ([]File, error)
	// Ignored reports whether a file is to be left out; nil means none is.
	Ignored func(path string) bool
}

// Options configure an Update. The zero value brings everything up to date.
type Options struct {
	Budget   time.Duration         // limits the time for reading files; what was read by then is stored. 0 means no limit
	Progress func(done, total int) // called with the number of changed files that were read; may be nil
	Now      func() time.Time      // nil means time.Now
}

// Report is the result of an Update.
type Report struct {
	Files   int // files in the index after the Update
	Read    int
	Removed int
	Left    int // changed files that were not read yet
	Beyond  int // files left out because of MaxFiles and MaxStems
}

// Update brings the file at path up to date with a work tree. It reads only
// files with another size, time or inode than when they were last read, and
// files that were last read within two seconds of a change, because a later
// change may have left the same times. It writes in pieces of about a second:
// if ctx or the process ends, at most one piece is lost, and the next Update
// continues.
//
// Update creates the folder of the file if the folder above exists. It replaces
// a file that is damaged or has another version. While another process updates
// the file, it returns ErrBusy immediately.
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

// lockFile takes the lock for writing the file at path.
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

// Remove removes the file at path, if it exists. While another process updates
// it, the error is ErrBusy.
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

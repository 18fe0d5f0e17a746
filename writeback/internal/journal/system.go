package journal

import (
	"io"
	"io/fs"
	"os"

	"agentflow/internal/atomicfile"
)

// System is the set of all operations that change the disk, so that tests can make any of them
// fail. Reading needs no such interface.
type System interface {
	atomicfile.Exchanger
	OpenFile(path string, flag int, perm fs.FileMode) (File, error)
	MkdirAll(path string, perm fs.FileMode) error
}

// File is a file that is appended to.
type File interface {
	io.WriteCloser
	io.ReaderAt
	io.WriterAt
	Stat() (fs.FileInfo, error)
	Sync() error
	Truncate(size int64) error
}

// Disk is the operating system's file system.
type Disk struct{ atomicfile.OS }

// OpenFile calls os.OpenFile.
func (Disk) OpenFile(path string, flag int, perm fs.FileMode) (File, error) {
	return os.OpenFile(path, flag, perm)
}

// MkdirAll calls os.MkdirAll.
func (Disk) MkdirAll(path string, perm fs.FileMode) error { return os.MkdirAll(path, perm) }

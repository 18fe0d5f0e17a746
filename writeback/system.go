package writeback

import (
	"io"
	"io/fs"
	"os"

	"agentflow/internal/atomicfile"
)

// system is every change writeback makes to disk, so that tests can make any
// of them fail. Reading needs no seam.
type system interface {
	atomicfile.Exchanger
	OpenFile(path string, flag int, perm fs.FileMode) (file, error)
	MkdirAll(path string, perm fs.FileMode) error
}

// file is a file being appended to.
type file interface {
	io.WriteCloser
	io.ReaderAt
	io.WriterAt
	Stat() (fs.FileInfo, error)
	Sync() error
	Truncate(size int64) error
}

// disk is the operating system's file system.
type disk struct{ atomicfile.OS }

func (disk) OpenFile(path string, flag int, perm fs.FileMode) (file, error) {
	return os.OpenFile(path, flag, perm)
}

func (disk) MkdirAll(path string, perm fs.FileMode) error { return os.MkdirAll(path, perm) }

package executor

import (
	"io"
	"os"

	"agentflow/internal/atomicfile"
)

// disk is what the executor does to its run folders. It is here so that tests
// can put a full disk in front of any step of the real one.
type disk interface {
	atomicfile.System
	mkdir(dir string) error
	create(name string) (logFile, error) // new or emptied, for writing
}

type logFile interface {
	io.WriteCloser
	io.Seeker
	Truncate(size int64) error
}

// realDisk gives what it makes to its owner only.
type realDisk struct{ atomicfile.OS }

func (realDisk) mkdir(dir string) error { return os.MkdirAll(dir, 0o700) }

func (realDisk) create(name string) (logFile, error) {
	return os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
}

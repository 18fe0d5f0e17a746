package proc

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// spoolFile returns a file in memory, so that a full disk cannot stop the
// agent. Under a limit on the size of files (ulimit -f) it returns an error,
// because the limit would apply to this file, unlike to a pipe.
func spoolFile() (*os.File, error) {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_FSIZE, &limit) == nil && limit.Cur != unix.RLIM_INFINITY {
		return nil, errors.ErrUnsupported
	}
	fd, err := unix.MemfdCreate("agent-output", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	return os.NewFile(uintptr(fd), "agent-output"), nil
}

// giveBack frees the part that was read, if the system supports it.
func giveBack(f *os.File, off, n int64) {
	_ = unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, off, n)
}

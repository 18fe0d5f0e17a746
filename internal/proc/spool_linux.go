package proc

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// spoolFile is memory: no disk that is full can stop the agent. A limit on
// the size of files (ulimit -f) would hold for it too, as it does not for a
// pipe.
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

// giveBack frees the part that was read, where the system can.
func giveBack(f *os.File, off, n int64) {
	_ = unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, off, n)
}

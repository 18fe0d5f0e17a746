package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// widen enlarges a pipe to pipeMax, so that the agent and this process take
// turns less often. A user with many pipes may not be allowed to, and keeps 64
// KiB.
func widen(pipe *os.File) {
	raw, err := pipe.SyscallConn()
	if err == nil {
		_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeMax) })
	}
}

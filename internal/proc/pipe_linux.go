package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// widen lets a pipe hold pipeMax: the agent and we take turns less often. A user
// with many pipes may not, and keeps the 64 KiB.
func widen(pipe *os.File) {
	raw, err := pipe.SyscallConn()
	if err == nil {
		_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeMax) })
	}
}

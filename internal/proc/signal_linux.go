package proc

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// prepare gives the child a session of its own and ties its life to ours, and
// makes us the process that orphans among its descendants go to.
func prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	// For the whole process and for good; setting it again changes nothing. It
	// cannot fail on a kernel that Go runs on.
	unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// orphanage returns the process that orphans of the run go to.
func orphanage(self int) int { return self }

// signalOne sends sig to this very process; ESRCH when it is gone or its id
// belongs to another by now.
func signalOne(id ident, sig unix.Signal) error {
	fd, err := unix.PidfdOpen(id.pid, 0)
	if err != nil && err != unix.ENOSYS && err != unix.EPERM {
		return unix.ESRCH
	}
	if err == nil {
		defer unix.Close(fd)
	}
	if r, readErr := readRow(id.pid); readErr != nil || r.ident != id {
		return unix.ESRCH
	}
	if err != nil { // before Linux 5.3, or forbidden by a sandbox
		return unix.Kill(id.pid, sig)
	}
	return unix.PidfdSendSignal(fd, sig, nil, 0)
}

// awaitZombie returns when our child has ended, leaving it to be reaped.
func awaitZombie(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return
		}
	}
}

// reap takes a dead child of ours out of the process table, by its very id.
func reap(id ident) {
	fd, err := unix.PidfdOpen(id.pid, 0)
	if err == nil {
		defer unix.Close(fd)
	}
	if r, readErr := readRow(id.pid); readErr != nil || r.ident != id || !r.dead {
		return
	}
	if err == nil && unix.Waitid(unix.P_PIDFD, fd, nil, unix.WEXITED|unix.WNOHANG, nil) != unix.EINVAL {
		return
	}
	unix.Wait4(id.pid, nil, unix.WNOHANG, nil) // before Linux 5.4
}

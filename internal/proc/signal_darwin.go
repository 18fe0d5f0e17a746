package proc

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// prepare gives the child a session of its own. macOS can neither tie its life
// to ours nor send its orphans to us.
func prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

// orphanage returns the process that orphans of the run go to: launchd.
func orphanage(int) int { return 1 }

// signalOne sends sig to this very process; ESRCH when it is gone or its id
// belongs to another by now.
func signalOne(id ident, sig unix.Signal) error {
	if r, err := readRow(id.pid); err != nil || r.ident != id {
		return unix.ESRCH
	}
	return unix.Kill(id.pid, sig)
}

// awaitZombie returns when our child has ended, leaving it to be reaped.
func awaitZombie(pid int) {
	kq, err := unix.Kqueue()
	if err != nil {
		return
	}
	defer unix.Close(kq)
	var change unix.Kevent_t
	unix.SetKevent(&change, pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	change.Fflags = unix.NOTE_EXIT
	events := make([]unix.Kevent_t, 1)
	for {
		n, err := unix.Kevent(kq, []unix.Kevent_t{change}, events, nil)
		if err == unix.EINTR {
			continue
		}
		if n > 0 || err != nil { // ESRCH: it has ended already
			return
		}
	}
}

// reap has nothing to do: orphans are launchd's.
func reap(ident) {}

package proc

import (
	"bytes"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// zombie is SZOMB of <sys/proc.h>.
const zombie = 5

// listing lists all processes.
func listing() table {
	procs, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return table{}
	}
	t := make(table, len(procs))
	for i := range procs {
		r := rowOf(&procs[i])
		t[r.pid] = r
	}
	return t
}

func readRow(pid int) (row, error) {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return row{}, err
	}
	if int(p.Proc.P_pid) != pid {
		return row{}, unix.ESRCH
	}
	return rowOf(p), nil
}

func rowOf(p *unix.KinfoProc) row {
	began := p.Proc.P_starttime
	r := row{
		ident: ident{pid: int(p.Proc.P_pid), start: uint64(began.Sec)*1e6 + uint64(began.Usec)},
		ppid:  int(p.Eproc.Ppid),
		pgid:  int(p.Eproc.Pgid),
		dead:  p.Proc.P_stat == zombie,
		name:  unix.ByteSliceToString(p.Proc.P_comm[:]),
	}
	// The table has the session only as a kernel address.
	if sid, err := unix.Getsid(r.pid); err == nil {
		r.sid = sid
	}
	return r
}

// tagged reports whether a process of this user had the tag in its environment
// when it was started.
func tagged(pid int, tag string) bool {
	if tag == "" {
		return false
	}
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(p.Eproc.Ucred.Uid) != os.Geteuid() {
		return false
	}
	_, environ := procArgs(pid)
	return holdsTag(environ, tag)
}

func cmdline(pid int) []byte {
	argv, _ := procArgs(pid)
	return argv
}

// programOf returns the path by which a process's program was started.
func programOf(pid int) string {
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(raw) < 4 {
		return ""
	}
	path, _, _ := bytes.Cut(raw[4:], []byte{0}) // after the number of arguments
	return string(path)
}

func procArgs(pid int) (argv, environ []byte) {
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return nil, nil
	}
	return splitArgs(raw)
}

// prepare gives the child a new session. macOS can neither tie its life to ours
// nor make us the parent of its orphans.
func prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

// orphanage returns the process that becomes the parent of the run's orphans:
// launchd.
func orphanage(int) int { return 1 }

// signalOne sends sig to exactly this process. It returns ESRCH if the process
// no longer exists or its id was reused.
func signalOne(id ident, sig unix.Signal) error {
	if r, err := readRow(id.pid); err != nil || r.ident != id {
		return unix.ESRCH
	}
	return unix.Kill(id.pid, sig)
}

// awaitZombie returns when our child has ended, and does not reap it.
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
		if n > 0 || err != nil { // ESRCH: it has already ended
			return
		}
	}
}

// reap does nothing, because launchd reaps the orphans.
func reap(ident) {}

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
	// The table holds the session as a kernel address only.
	if sid, err := unix.Getsid(r.pid); err == nil {
		r.sid = sid
	}
	return r
}

// tagged says whether a process of this user has the tag in the environment
// it was started with.
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

// programOf is the path by which a process's program was started.
func programOf(pid int) string {
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(raw) < 4 {
		return ""
	}
	path, _, _ := bytes.Cut(raw[4:], []byte{0}) // behind the number of arguments
	return string(path)
}

func procArgs(pid int) (argv, environ []byte) {
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return nil, nil
	}
	return splitArgs(raw)
}

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

package proc

import (
	"os"

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

// tagged tells whether a process of this user has the tag in the environment
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

func procArgs(pid int) (argv, environ []byte) {
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return nil, nil
	}
	return splitArgs(raw)
}

package proc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// environMax limits how much of a process's environment is read. Linux allows
// somewhat more, and the tag is where the agent's parent put it.
const environMax = 8 << 20

// listing lists all processes. It leaves out a process that ends while it is
// read. To find the processes started meanwhile, it reads the names again until
// there is no new one, at most five times.
func listing() table {
	t, seen := table{}, map[int]bool{}
	for range 5 {
		fresh := false
		for _, pid := range processes() {
			if seen[pid] {
				continue
			}
			seen[pid], fresh = true, true
			if r, err := readRow(pid); err == nil {
				t[pid] = r
			}
		}
		if !fresh {
			break
		}
	}
	return t
}

func processes() []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	pids := make([]int, 0, len(names))
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

func readRow(pid int) (row, error) {
	line, err := os.ReadFile(procPath(pid, "stat"))
	if err != nil {
		return row{}, err
	}
	return parseStat(line)
}

// tagged reports whether a process of this user had the tag in its environment
// when it was started.
func tagged(pid int, tag string) bool {
	info, err := os.Stat(procPath(pid, "environ"))
	if tag == "" || err != nil || int(info.Sys().(*syscall.Stat_t).Uid) != os.Geteuid() {
		return false
	}
	return holdsTag(readStarted(pid, "environ", environMax), tag)
}

func cmdline(pid int) []byte { return readStarted(pid, "cmdline", 4096) }

// programOf returns a path to a process's program that stays valid when the program's file
// is moved or removed.
func programOf(pid int) string { return procPath(pid, "exe") }

// readStarted reads a file with the arguments or the environment with which a
// program was started. During an exec the system shows no arguments of a
// process, and a moment later still no environment: for microseconds, or longer
// on a busy machine. So an empty result counts after 3 ms if there are
// arguments, and after 127 ms if not.
func readStarted(pid int, file string, most int64) []byte {
	for pause := time.Millisecond; pause < 128*time.Millisecond; pause *= 2 {
		if data := readSome(pid, file, most); len(data) > 0 {
			return data
		}
		if _, err := os.Readlink(procPath(pid, "exe")); err != nil || pause > 2*time.Millisecond && len(readSome(pid, "cmdline", 1)) > 0 {
			break // it has ended, or is a kernel thread, or has no environment
		}
		time.Sleep(pause)
	}
	return readSome(pid, file, most)
}

func readSome(pid int, file string, most int64) []byte {
	f, err := os.Open(procPath(pid, file))
	if err != nil {
		return nil
	}
	defer f.Close()
	data, _ := io.ReadAll(io.LimitReader(f, most))
	return data
}

func procPath(pid int, file string) string {
	return strings.Join([]string{"/proc", strconv.Itoa(pid), file}, "/")
}

// parseStat parses /proc/PID/stat (proc_pid_stat(5)). The second field is the
// program's name in parentheses. The name itself may contain parentheses,
// spaces and newlines, so it ends at the last closing parenthesis.
func parseStat(line []byte) (row, error) {
	open, end := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if open < 1 || end < open {
		return row{}, errors.New("no program name in it")
	}
	r := row{name: string(line[open+1 : end])}
	var err error
	if r.pid, err = strconv.Atoi(string(bytes.TrimSpace(line[:open]))); err != nil {
		return row{}, fmt.Errorf("process id: %w", err)
	}
	fields := bytes.Fields(line[end+1:]) // fields[0] is field 3, the state
	if len(fields) < 20 {
		return row{}, fmt.Errorf("%d fields after the name, at least 20 wanted", len(fields))
	}
	var threads int
	for _, f := range []struct {
		to *int
		at int
	}{{&r.ppid, 4}, {&r.pgid, 5}, {&r.sid, 6}, {&threads, 20}} {
		if *f.to, err = strconv.Atoi(string(fields[f.at-3])); err != nil {
			return row{}, fmt.Errorf("field %d: %w", f.at, err)
		}
	}
	if r.start, err = strconv.ParseUint(string(fields[22-3]), 10, 64); err != nil {
		return row{}, fmt.Errorf("field 22: %w", err)
	}
	// A process is a zombie with threads if its first thread has ended and
	// others still run: it lives.
	state := fields[0][0]
	r.dead = state == 'X' || state == 'x' || state == 'Z' && threads <= 1
	return r, nil
}

// prepare gives the child a new session, ties its life to ours, and makes us
// the parent of orphans among its descendants.
func prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	// This applies to the whole process, permanently; setting it again changes
	// nothing. It cannot fail on a kernel that Go supports.
	unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// orphanage returns the process that becomes the parent of the run's orphans.
func orphanage(self int) int { return self }

// signalOne sends sig to exactly this process. It returns ESRCH if the process
// no longer exists or its id was reused.
func signalOne(id ident, sig unix.Signal) error {
	fd, err := unix.PidfdOpen(id.pid, 0)
	if err != nil && err != unix.ENOSYS && err != unix.EPERM {
		return unix.ESRCH
	}
	if err == nil {
		defer unix.Close(fd)
	}
	if r, readErr := readRow(id.pid); readErr != nil || r.ident != id || r.dead {
		return unix.ESRCH
	}
	if err != nil { // before Linux 5.3, or forbidden by a sandbox
		return unix.Kill(id.pid, sig)
	}
	return unix.PidfdSendSignal(fd, sig, nil, 0)
}

// awaitZombie returns when our child has ended, and does not reap it.
func awaitZombie(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return
		}
	}
}

// reap reaps exactly this dead child.
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

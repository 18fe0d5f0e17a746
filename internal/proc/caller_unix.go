//go:build linux || darwin

package proc

import (
	"os"
	"slices"
	"strconv"
	"strings"
)

// shells are programs that stand between a hook and the agent that runs it.
var shells = []string{"sh", "bash", "dash", "zsh", "ksh", "fish", "busybox", "env"}

// maxShells bounds how many of them.
const maxShells = 4

// Caller is the process that had this one started, past shells, and when that
// began, in a form for Lives. 0 is one that is not known.
func Caller() (pid int, began string) {
	pid = os.Getppid()
	for range maxShells {
		r, err := readRow(pid)
		if err != nil || r.dead || pid <= 1 {
			return 0, ""
		}
		if !slices.Contains(shells, r.name) {
			return pid, strconv.FormatUint(uint64(r.start), 10) + " " + namespace()
		}
		pid = r.ppid
	}
	return 0, ""
}

// IsHere says whether the id of the process that Caller named means something here, by
// when it began: that of another container or machine does not.
func IsHere(began string) bool {
	_, space, known := strings.Cut(began, " ")
	return known && space == namespace()
}

// Lives says whether the process that Caller named is still there. One of another
// container or machine may be: its id means nothing here.
func Lives(pid int, began string) bool {
	start, space, known := strings.Cut(began, " ")
	if known && space != namespace() {
		return true
	}
	r, err := readRow(pid)
	return err == nil && !r.dead && strconv.FormatUint(uint64(r.start), 10) == start
}

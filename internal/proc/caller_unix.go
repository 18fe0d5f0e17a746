//go:build linux || darwin

package proc

import (
	"os"
	"slices"
	"strconv"
	"strings"
)

// shells lists programs that may run between a hook and the agent that runs it.
var shells = []string{"sh", "bash", "dash", "zsh", "ksh", "fish", "busybox", "env"}

// maxShells limits the number of such programs.
const maxShells = 4

// Caller returns the process that started this one, skipping shells, and when
// it began, in a form for Lives. The id is 0 if the process is not known.
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

// IsHere reports whether the id of the process that Caller returned is valid
// here, judged by began: the id of another container or machine is not.
func IsHere(began string) bool {
	_, space, known := strings.Cut(began, " ")
	return known && space == namespace()
}

// Lives reports whether the process that Caller returned still exists. It
// returns true for a process of another container or machine, because it cannot
// know.
func Lives(pid int, began string) bool {
	start, space, known := strings.Cut(began, " ")
	if known && space != namespace() {
		return true
	}
	r, err := readRow(pid)
	return err == nil && !r.dead && strconv.FormatUint(uint64(r.start), 10) == start
}

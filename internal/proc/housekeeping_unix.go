//go:build linux || darwin

package proc

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// maxHelpers limits the processes between a helper and the
// command that git started.
const maxHelpers = 8

// withoutGits removes git's background processes from members.
func withoutGits(t table, members []row) []row {
	return slices.DeleteFunc(slices.Clone(members), func(r row) bool { return !r.dead && isGits(t, r) })
}

func isGits(t table, r row) bool {
	for range maxHelpers {
		args := argsOfGit(r.pid)
		if beginsHousekeeping(args) {
			return true
		}
		parent, known := t[r.ppid]
		if !known || !helpsHousekeeping(args) {
			return false
		}
		r = parent
	}
	return false
}

// argsOfGit returns the arguments of a process, if its program is the git on
// our own PATH.
func argsOfGit(pid int) []string {
	program, err := os.Stat(programOf(pid))
	if err != nil || !slices.ContainsFunc(gitPrograms(), func(git os.FileInfo) bool { return os.SameFile(git, program) }) {
		return nil
	}
	return strings.Split(strings.TrimRight(string(cmdline(pid)), "\x00"), "\x00")
}

// gitPrograms returns the files of git and of the copies that it runs itself.
var gitPrograms = sync.OnceValue(func() (programs []os.FileInfo) {
	path, err := exec.LookPath("git")
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return nil
	}
	prefix := filepath.Dir(filepath.Dir(path))
	for _, name := range []string{path, filepath.Join(prefix, "lib", "git-core", "git"), filepath.Join(prefix, "libexec", "git-core", "git")} {
		if info, err := os.Stat(name); err == nil {
			programs = append(programs, info)
		}
	}
	return programs
})

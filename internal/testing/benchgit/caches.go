//go:build unix

package main

import (
	"cmp"
	"os"
	"os/exec"
	"strings"
)

// These histories do not change the objects, but the caches of the work tree
// that git and the system keep.
func init() {
	// Git caches which names of each folder are untracked.
	histories["untracked-cache"] = func(t tree, _ int) error { return t.git("update-index", "--untracked-cache") }
	// The same, and git's daemon watches the work tree.
	histories[monitored] = func(t tree, _ int) error {
		return cmp.Or(t.git("config", "core.untrackedCache", "true"), t.git("config", "core.fsmonitor", "true"))
	}
	// The system's cache has nothing of the work tree before the first of two
	// git status, and before the run.
	histories[cold] = histories[""]
}

const (
	cold      = "cold"
	monitored = "fsmonitor"
)

// cachesHere returns the trees with caches that can be measured on this
// machine: not every git has a daemon, and only root may empty the page cache.
func cachesHere() []string {
	trees := []string{"80000/150/untracked-cache", "80000/12/untracked-cache"}
	if out, _ := exec.CommandContext(ctx, "git", "version", "--build-options").Output(); strings.Contains(string(out), "fsmonitor--daemon") {
		trees = append(trees, "80000/150/fsmonitor", "80000/12/fsmonitor")
	}
	if os.Geteuid() == 0 && os.WriteFile(dropCaches, nil, 0) == nil {
		trees = append(trees, "80000/150/cold", "80000/12/cold")
	}
	return trees
}

const dropCaches = "/proc/sys/vm/drop_caches"

// chill empties the page cache, except for the programs, before a cold tree is
// measured.
func (t tree) chill(binary string) error {
	if t.history.name != cold {
		return nil
	}
	program, err := exec.LookPath("git")
	err = cmp.Or(err, exec.CommandContext(ctx, "sync").Run(), os.WriteFile(dropCaches, []byte("3"), 0))
	for _, name := range []string{program, binary} {
		_, readErr := os.ReadFile(name)
		err = cmp.Or(err, readErr)
	}
	return cmp.Or(err, t.outside("git", "version"), t.outside(binary, "version"))
}

// leave stops the daemon that git status started.
func (t tree) leave() error {
	if t.history.name != monitored {
		return nil
	}
	return t.git("fsmonitor--daemon", "stop")
}

// outside runs a program outside of any repository.
func (t tree) outside(program string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = "/"
	return cmd.Run()
}

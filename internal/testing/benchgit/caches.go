//go:build unix

package main

import (
	"cmp"
	"os"
	"os/exec"
	"strings"
)

// caches are histories that leave the objects alone: what git keeps of the work tree, and
// what the system does.
func init() {
	// Git remembers which names of each folder are untracked.
	histories["untracked-cache"] = func(t tree, _ int) error { return t.git("update-index", "--untracked-cache") }
	// The same, and git's own daemon watches the work tree.
	histories[monitored] = func(t tree, _ int) error {
		return cmp.Or(t.git("config", "core.untrackedCache", "true"), t.git("config", "core.fsmonitor", "true"))
	}
	// The system has read nothing of the work tree before the first of two git status, and
	// before the run.
	histories[cold] = histories[""]
}

const (
	cold      = "cold"
	monitored = "fsmonitor"
)

// cachesHere are the trees with caches that can be measured: not every git has a daemon,
// and only root may empty the page cache.
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

// chill empties the page cache, but for the programs, before a measurement of a cold tree.
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

// leave ends the daemon that git status started.
func (t tree) leave() error {
	if t.history.name != monitored {
		return nil
	}
	return t.git("fsmonitor--daemon", "stop")
}

// outside runs a program that looks at no repository.
func (t tree) outside(program string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = "/"
	return cmd.Run()
}

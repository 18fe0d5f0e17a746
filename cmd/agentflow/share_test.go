package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/internal/testing/labtest"
)

// TestSharedSoon: with share.auto, a clone's new memory reaches the remote in the
// background, and purged text leaves the remote's history.
func TestSharedSoon(t *testing.T) {
	ada := newLab(t, `say "done"`)
	remote := filepath.Join(t.TempDir(), "remote.git")
	ada.Git("init", "-q", "--bare", remote)
	ada.Git("remote", "add", "origin", remote)
	ada.Settings("[share]\nauto = true\n")
	ada.Agentflow("share", "--what", "entries", "--yes")
	holds := func(text string) bool {
		out, err := exec.Command("git", "-C", remote, "log", "-p", "--all").Output()
		return err == nil && strings.Contains(string(out), text)
	}
	ada.Agentflow("remember", "The okapi sleeps.")
	labtest.Await(t, "the fact on the remote", func() bool { return holds("okapi sleeps") })
	ada.Agentflow("run", "Look at the wombat")
	labtest.Await(t, "the run on the remote", func() bool { return holds("Look at the wombat") })
	ada.Agentflow("forget", "--purge", "--yes", "--query", "okapi", "--limit", "1")
	labtest.Await(t, "the purge on the remote", func() bool { return !holds("okapi sleeps") && holds("Look at the wombat") })
	labtest.Await(t, "the end of syncs in the background", func() bool { return !syncsIn(ada.Repo) })
}

// syncsIn reports whether a background sync runs in a folder. It may still write there when
// the remote has everything. Without /proc syncsIn always returns false.
func syncsIn(dir string) bool {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range lines {
		line, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(line), "\x00sync\x00--auto") {
			continue
		}
		if at, err := os.Readlink(filepath.Join(filepath.Dir(path), "cwd")); err == nil && at == dir {
			return true
		}
	}
	return false
}

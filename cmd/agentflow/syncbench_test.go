package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkSync compares agentflow sync as a whole process, with nothing new, with 'git
// fetch' of the ref in the same clone. The remote is a folder of this machine, which sync
// reads in place. asked-by-git is the same with a program of the user's that reaches the
// remote, so that sync has to fetch as it does over a network.
func BenchmarkSync(b *testing.B) {
	for _, entries := range []int{100, 1000, 10_000} {
		for _, name := range []string{"in-place", "asked-by-git"} {
			b.Run(fmt.Sprintf("%d/%s", entries, name), func(b *testing.B) {
				l := newSyncLab(b, entries)
				if name == "asked-by-git" {
					l.Git("config", "remote.origin.uploadpack", "git-upload-pack")
				}
				sideBySide(b, func() time.Duration { return wall(b, l.Command("sync")) }, func() time.Duration {
					cmd := exec.Command("git", "fetch", "--no-tags", "origin", "+refs/agentflow/memory:refs/agentflow/fetched")
					cmd.Dir, cmd.Env = l.Repo, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
					return wall(b, cmd)
				})
			})
		}
	}
}

// newSyncLab returns a clone that has shared so many entries, 50 a file. Another clone of
// the remote has shared one.
func newSyncLab(b *testing.B, entries int) *lab {
	b.Helper()
	l := newLab(b, "")
	remote, other := filepath.Join(b.TempDir(), "remote.git"), filepath.Join(b.TempDir(), "other")
	l.Git("init", "-q", "--bare", remote)
	l.Git("remote", "add", "origin", remote)
	l.Git("push", "-q", "origin", "HEAD")
	l.Git("clone", "-q", remote, other)
	l.fill(entries, entries/50)
	o := l.in(other)
	o.fill(1, 1)
	time.Sleep(3 * time.Second) // a file that was just written is read again by the next sync
	for _, who := range []*lab{l, o} {
		who.Agentflow("share", "--what", "entries", "--yes")
	}
	l.Agentflow("sync")
	return l
}

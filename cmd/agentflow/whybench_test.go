package main

import (
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// BenchmarkWhy asks about random lines of this repository, with its history and
// 10,000 entries in memory, against git blame of the same line. It also asks about whole
// files, against git blame of those.
func BenchmarkWhy(b *testing.B) {
	l := newLab(b, "")
	root, err := filepath.Abs("../..")
	if err != nil {
		b.Fatal(err)
	}
	l.Remove("README")
	l.Remove(".git")
	if out, err := l.TryGit("clone", "-q", root, "."); err != nil {
		b.Skipf("this is no clone of the repository: %s", out)
	}
	commits, err := strconv.Atoi(l.Git("rev-list", "--count", "HEAD"))
	if err != nil || commits < 100 {
		b.Skip("the history is not there")
	}
	l.Agentflow("backfill", "--last", "0")
	l.fill((10_000-commits)/200*200, 200)
	l.Agentflow("search", "clock")
	files := strings.Fields(l.Git("ls-files", "*.go", "*.md"))
	random := rand.New(rand.NewPCG(1, 2))
	next := func() (file, line string) {
		for {
			file = files[random.IntN(len(files))]
			if n := strings.Count(l.Read(file), "\n"); n > 0 {
				return file, strconv.Itoa(random.IntN(n) + 1)
			}
		}
	}
	git := func(args ...string) *exec.Cmd {
		cmd := exec.Command("git", append([]string{"blame"}, args...)...)
		cmd.Dir, cmd.Env = l.Repo, l.Env
		return cmd
	}
	b.Run("line", func(b *testing.B) {
		var file, line string
		sideBySide(b, func() time.Duration {
			file, line = next()
			return wall(b, l.Command("why", file+":"+line))
		}, func() time.Duration { return wall(b, git("-L", line+","+line, "--", file)) })
	})
	b.Run("file", func(b *testing.B) {
		var file string
		sideBySide(b, func() time.Duration {
			file, _ = next()
			return wall(b, l.Command("why", file))
		}, func() time.Duration { return wall(b, git("--", file)) })
	})
}

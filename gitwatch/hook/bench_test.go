package hook

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// benchLab is a repository of so many files, with hooks installed and a
// memory of so many entries, one of them a file.
func benchLab(b *testing.B, files, entries int) *lab {
	b.Helper()
	l := newLab(b)
	for i := range files {
		l.write(l.path(fmt.Sprintf("d%03d/f%03d.go", i/200, i%200)), fmt.Sprintf("package d%d // %d\n", i/200, i), 0o644)
	}
	for i := range entries {
		l.write(l.path(fmt.Sprintf(".agentflow/memory/%05d.md", i)), "## an entry\n", 0o600)
	}
	l.write(l.path(".agentflow/.gitignore"), "*\n", 0o600)
	l.git("add", ".")
	l.git("commit", "-q", "-m", "all")
	l.install(l.repo, Installed, Installed)
	return l
}

// inTurn takes git with our hooks, without any, and with a post-commit hook
// that does nothing in turn, and reports what the hooks cost: in time, and in
// processor time of git and all it starts, which others who use the machine
// disturb less. What the empty hook costs is git's own to start one. prepare
// comes before each, out of the measurement.
func (l *lab) inTurn(b *testing.B, prepare func(n int), args ...string) {
	b.Helper()
	hooks, none, empty := l.path(".git/hooks"), b.TempDir(), b.TempDir()
	l.write(filepath.Join(empty, postCommit), "#!/bin/sh\n", 0o755)
	figures := map[string][]float64{}
	n := 0
	measure := func(path string) (wall, processor float64) {
		n++
		prepare(n)
		cmd := exec.Command("git", append([]string{"-c", "core.hooksPath=" + path}, args...)...)
		cmd.Dir = l.repo
		start := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("git %q: %v\n%s", args, err, out)
		}
		wall = time.Since(start).Seconds() * 1000
		return wall, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds() * 1000
	}
	for _, path := range []string{hooks, none, empty} {
		measure(path)
	}
	for b.Loop() {
		wall, processor := measure(hooks)
		wall0, processor0 := measure(none)
		wallEmpty, processorEmpty := measure(empty)
		for name, value := range map[string]float64{
			"with-ms": wall, "without-ms": wall0, "more-ms": wall - wall0, "ratio": wall / wall0,
			"more-cpu-ms": processor - processor0, "cpu-ratio": processor / processor0,
			"empty-ratio": wallEmpty / wall0, "empty-cpu-ratio": processorEmpty / processor0,
		} {
			figures[name] = append(figures[name], value)
		}
	}
	b.ReportMetric(0, "ns/op")
	for name, list := range figures {
		slices.Sort(list)
		b.ReportMetric(list[len(list)/2], name)
	}
}

// BenchmarkCommit measures git commit of one changed file, with hooks and without, in a small and
// in a large repository, and with a queue that was not read for 10,000 commits.
func BenchmarkCommit(b *testing.B) {
	for _, c := range []struct{ files, entries, queued int }{{10, 0, 0}, {10, 0, 10_000}, {80_000, 10_000, 0}} {
		b.Run(fmt.Sprintf("files=%d/entries=%d/queued=%d", c.files, c.entries, c.queued), func(b *testing.B) {
			l := benchLab(b, c.files, c.entries)
			line := "commit - " + idA + " - \n"
			l.write(queueOf(l.place(l.repo).State()), strings.Repeat(line, c.queued), 0o600)
			l.inTurn(b, func(n int) {
				l.write(l.path("d000/f000.go"), fmt.Sprint("package d0 // again ", n), 0o644)
				l.git("add", "d000")
			}, "commit", "-q", "-m", "x")
		})
	}
}

// BenchmarkRebase is a rebase of 100 commits, with hooks and without.
func BenchmarkRebase(b *testing.B) {
	for _, files := range []int{1000, 80_000} {
		b.Run(fmt.Sprintf("files=%d", files), func(b *testing.B) {
			l := benchLab(b, files, 0)
			l.git("tag", "base")
			for i := range 100 {
				l.write(l.path("d000/f000.go"), fmt.Sprint("package d0 // ", i), 0o644)
				l.git("-c", "core.hooksPath="+os.DevNull, "commit", "-q", "-a", "-m", fmt.Sprint(i))
			}
			l.git("tag", "tip")
			l.git("checkout", "-q", "-b", "onto", "base")
			l.git("commit", "-q", "--allow-empty", "-m", "onto")
			l.inTurn(b, func(int) { l.git("checkout", "-q", "--detach", "tip") }, "rebase", "-q", "--onto", "onto", "base")
		})
	}
}

package gitwatch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// large makes a repository of n clean files, settled an hour ago.
func large(b *testing.B, n int) *fixture {
	f := newFixture(b)
	for i := range n {
		f.write(fmt.Sprintf("d%d/e%d/file%d.go", i%40, i%13, i), fmt.Sprintf("package p%d\n", i))
	}
	f.git("add", "-A")
	f.git("commit", "-qm", "base")
	f.git("gc", "-q")
	past := time.Now().Add(-time.Hour)
	must(b, filepath.WalkDir(f.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Name() == ".git" {
			return filepath.SkipDir
		}
		if err == nil && !d.IsDir() {
			err = os.Chtimes(path, past, past)
		}
		return err
	}))
	f.git("update-index", "-q", "--refresh")
	return f
}

// BenchmarkSnapshot stands beside git status on the same work tree; both have
// ten edited and ten untracked files to find.
func BenchmarkSnapshot(b *testing.B) {
	for _, n := range []int{100, 1_000, 20_000, 80_000} {
		f := large(b, n)
		for i := range 10 {
			f.write(fmt.Sprintf("d%d/e%d/file%d.go", i%40, i%13, i), "package changed\n")
			f.write(fmt.Sprintf("d%d/new%d.go", i, i), "package fresh\n")
		}
		r := f.open()
		b.Run(fmt.Sprintf("ours/%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := r.Snapshot(b.Context(), f.run); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("git-status/%d", n), func(b *testing.B) {
			for b.Loop() {
				cmd := exec.CommandContext(b.Context(), "git", "--no-optional-locks", "status", "--porcelain", "-uall")
				cmd.Dir, cmd.Env = f.dir, gitEnv(os.Environ())
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%v: %s", err, out)
				}
			}
		})
	}
}

package gitwatch

import (
	"os"
	"runtime"
	"slices"
	"testing"

	"agentflow/internal/testing/gittest"
)

// TestFiles: Files returns the tracked regular files that exist, for any kind of index.
func TestFiles(t *testing.T) {
	for name, build := range map[string]func(f *fixture){
		"version 2": func(f *fixture) { f.Git("update-index", "--index-version", "2") },
		"version 4": func(f *fixture) { f.Git("update-index", "--index-version", "4") },
		"split":     func(f *fixture) { f.Git("update-index", "--split-index") },
		"conflict": func(f *fixture) {
			id := f.Git("rev-parse", ":b.txt")[:40]
			f.Git("update-index", "--force-remove", "b.txt")
			f.TryWith("100644 "+id+" 1\tb.txt\n100644 "+id+" 2\tb.txt\n", "update-index", "--index-info")
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.Commit("base", "a/x.go", "x\n", "a-b/y.go", "y\n", "b.txt", "b\n", "gone.txt", "g\n", "dir/sub/z.go", "z\n", "moved/m.go", "m\n", ".agentflow/memory/MEMORY.md", "k\n")
			f.Git("update-index", "--add", "--cacheinfo", "160000,"+f.Git("rev-parse", "HEAD")[:40]+",module")
			f.Write("untracked.txt", "u\n")
			gittest.Must(t, os.Remove(f.Path("gone.txt")))
			want := []string{"a-b/y.go", "a/x.go", "b.txt", "dir/sub/z.go", "moved/m.go"}
			if runtime.GOOS != "windows" {
				gittest.Must(t, os.Rename(f.Path("moved"), f.Path("elsewhere")))
				gittest.Must(t, os.Symlink("elsewhere", f.Path("moved")))
				want = want[:4]
			}
			build(f)
			files, err := f.open().Files(t.Context())
			gittest.Must(t, err)
			var got []string
			for _, file := range files {
				got = append(got, file.Path)
				info, err := os.Lstat(f.Path(file.Path))
				gittest.Must(t, err)
				if file.Size != info.Size() || file.Mtime != info.ModTime().UnixNano() {
					t.Errorf("%+v, and lstat says %d bytes, %v", file, info.Size(), info.ModTime())
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("files %q, want %q", got, want)
			}
		})
	}
}

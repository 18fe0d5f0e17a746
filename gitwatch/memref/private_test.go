package memref

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// loose is how many loose objects a repository has.
func loose(t testing.TB, r Repo) (n int) {
	t.Helper()
	_, err := fmt.Sscanf(run(t, r.Dir, "count-objects"), "%d", &n)
	must(t, err)
	return n
}

// TestTidy: what no ref leads to is gone at once where text was purged; otherwise objects
// are packed when there are many.
func TestTidy(t *testing.T) {
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(t.TempDir(), "config"))
	run(t, ".", "config", "--global", "gc.auto", "0")
	r, err := Init(t.Context(), filepath.Join(t.TempDir(), "own.git"))
	must(t, err)
	first, err := r.Write(t.Context(), ref, Commit{Message: "first", Files: map[string][]byte{"a.md": []byte("The okapi.\n")}})
	must(t, err)
	must(t, r.Keep(t.Context(), map[string]string{ref: first}))
	must(t, r.Tidy(t.Context(), false))
	if loose(t, r) == 0 {
		t.Error("three objects were packed")
	}
	anew, err := r.Write(t.Context(), ref, Commit{Message: "anew", Files: map[string][]byte{"b.md": []byte("The tapir.\n")}})
	must(t, err)
	must(t, r.Keep(t.Context(), map[string]string{ref: anew}))
	must(t, r.Tidy(t.Context(), true))
	if err := exec.Command("git", "-C", r.Dir, "cat-file", "-e", first).Run(); err == nil || loose(t, r) > 0 {
		t.Errorf("the purged commit is there (%v), or %d objects are loose", err == nil, loose(t, r))
	}
	if text := run(t, r.Dir, "cat-file", "blob", ref+":b.md"); text != "The tapir." {
		t.Errorf("what a ref leads to became %q", text)
	}
	var paths strings.Builder
	dir := t.TempDir()
	for i := range 4000 {
		path := filepath.Join(dir, fmt.Sprint(i))
		must(t, os.WriteFile(path, []byte(fmt.Sprint(i)), 0o600))
		fmt.Fprintln(&paths, path)
	}
	cmd := exec.Command("git", "-C", r.Dir, "hash-object", "-w", "--stdin-paths")
	cmd.Stdin = strings.NewReader(paths.String())
	must(t, cmd.Run())
	must(t, r.Tidy(t.Context(), false))
	if n := loose(t, r); n > 100 {
		t.Errorf("%d objects are loose", n)
	}
}

package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestRaced checks that a goroutine counts in a package, in its tests and in the
// libraries that they call, and that other packages are left out.
func TestRaced(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"pure.go": "package p\n\n// go on\nfunc F() {}\n", "spawn.go": "package p\n\nfunc F() {\n\tgo F()\n}\n", "later.go": "package p\n\nfunc F() { time.AfterFunc(1, F) }\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	of := func(path, file, test string, imports ...string) listed {
		return listed{ImportPath: path, Dir: dir, GoFiles: []string{file}, TestGoFiles: []string{test}, Imports: imports}
	}
	untested := of("untested", "spawn.go", "")
	untested.TestGoFiles = nil
	packages := []listed{of("pure", "pure.go", "pure.go"), of("spawns", "spawn.go", "pure.go"), of("tested", "pure.go", "later.go"), of("imports", "pure.go", "pure.go", "spawns"), of("stores", "pure.go", "pure.go", "modernc.org/sqlite"), of("lost", "gone.go", "pure.go"), untested}
	want := []string{"spawns", "tested", "stores", "lost"}
	if got := raced(packages); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

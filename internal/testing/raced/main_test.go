package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestRaced checks that a goroutine counts in a package, in its tests and in
// what they import, and that other packages are left out.
func TestRaced(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"pure.go": "package p\n\n// go on\nfunc F() {}\n", "spawn.go": "package p\n\nfunc F() {\n\tgo F()\n}\n", "later.go": "package p\n\nfunc F() { time.AfterFunc(1, F) }\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	of := func(path, file, test string) []listed {
		return []listed{{ImportPath: module + path, Dir: dir, GoFiles: []string{file}, TestGoFiles: []string{test}}}
	}
	program := func(path string, deps ...string) listed {
		return listed{ImportPath: module + path + ".test", Dir: dir, GoFiles: []string{"_testmain.go"}, Deps: append(deps, module+path+" ["+module+path+".test]")}
	}
	packages := slices.Concat(of("pure", "pure.go", "pure.go"), of("spawns", "spawn.go", "pure.go"), of("tested", "pure.go", "later.go"), of("imports", "pure.go", "pure.go"), of("stores", "pure.go", "pure.go"), of("lost", "gone.go", "pure.go"),
		[]listed{program("pure"), program("spawns"), program("tested"), program("imports", module+"spawns"), program("stores", "modernc.org/sqlite"), program("lost")})
	want := []string{module + "spawns", module + "tested", module + "imports", module + "stores", module + "lost"}
	if got := raced(packages); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Command raced prints the packages that have tests in which two goroutines can
// meet in their own code: the package or its tests start one, or they call a
// library that does so with what it is given. The other packages call code
// that starts goroutines too, but that is under the race detector in its own tests.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
)

// listed is a package as go list describes it.
type listed struct {
	ImportPath, Dir                    string
	GoFiles, TestGoFiles, XTestGoFiles []string
	Imports, TestImports, XTestImports []string
}

// starts finds what starts a goroutine, or gives a function to another one.
var starts = regexp.MustCompile(`(?m)^\s*(defer )?go [a-zA-Z_(.]|\.Go\(|\.Parallel\(|AfterFunc\(|httptest\.|http\.(Server|Serve|ListenAndServe)\b|signal\.Notify`)

// libraries call the functions, or use the values, that they are given on goroutines.
var libraries = []string{"agentflow/internal/gather", "agentflow/internal/parallel", "modernc.org/sqlite", "github.com/jackc/pgx/v5", "github.com/modelcontextprotocol/go-sdk/mcp", "github.com/fsnotify/fsnotify", "net/http/httptest"}

func main() {
	packages, err := list()
	if err != nil {
		fmt.Fprintln(os.Stderr, "raced:", err)
		os.Exit(1)
	}
	for _, path := range raced(packages) {
		fmt.Println(path)
	}
}

// list returns all packages of the module.
func list() ([]listed, error) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,TestGoFiles,XTestGoFiles,Imports,TestImports,XTestImports", "./...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("listing packages: %w", err)
	}
	var all []listed
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("reading go list: %w", err)
		}
		all = append(all, p)
	}
}

// raced returns the packages with such tests.
func raced(packages []listed) (paths []string) {
	for _, p := range packages {
		tests := slices.Concat(p.TestGoFiles, p.XTestGoFiles)
		given := slices.ContainsFunc(slices.Concat(p.Imports, p.TestImports, p.XTestImports), func(path string) bool { return slices.Contains(libraries, path) })
		if len(tests) > 0 && (given || p.startsIn(p.GoFiles) || p.startsIn(tests)) {
			paths = append(paths, p.ImportPath)
		}
	}
	return paths
}

// startsIn reports whether a file starts a goroutine. A file that cannot be read
// counts.
func (p listed) startsIn(files []string) bool {
	return slices.ContainsFunc(files, func(name string) bool {
		text, err := os.ReadFile(filepath.Join(p.Dir, name))
		return err != nil || starts.Match(text)
	})
}

// Command raced prints the packages that have tests in which two goroutines can
// meet: the package, its tests or a package that they import starts one, or a
// library does. In the other tests, the race detector finds nothing.
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
	"strings"
)

// listed is a package as go list describes it.
type listed struct {
	ImportPath, Dir                    string
	Deps                               []string
	GoFiles, TestGoFiles, XTestGoFiles []string
}

// module is the prefix of the packages of this module.
const module = "agentflow/"

// starts finds what starts a goroutine, or gives a function to another one.
var starts = regexp.MustCompile(`(?m)^\s*(defer )?go [a-zA-Z_(.]|\.Go\(|\.Parallel\(|AfterFunc\(|httptest\.|http\.(Server|Serve|ListenAndServe)\b|signal\.Notify`)

// libraries run goroutines or call functions from them.
var libraries = []string{"modernc.org/sqlite", "github.com/jackc/pgx/v5", "github.com/modelcontextprotocol/go-sdk/mcp", "github.com/fsnotify/fsnotify", "net/http/httptest"}

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

// list returns all packages of the module, their tests' programs and what these
// import.
func list() ([]listed, error) {
	cmd := exec.Command("go", "list", "-test", "-deps", "-json=ImportPath,Dir,Deps,GoFiles,TestGoFiles,XTestGoFiles", "./...")
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
	starting := map[string]bool{} // packages by themselves, and their tests by the name of the program
	for _, name := range libraries {
		starting[name] = true
	}
	for _, p := range packages {
		if strings.HasPrefix(p.ImportPath, module) && !strings.Contains(p.ImportPath, " ") && !strings.HasSuffix(p.ImportPath, ".test") {
			starting[p.ImportPath] = p.startsIn(p.GoFiles)
			starting[p.ImportPath+".test"] = p.startsIn(p.TestGoFiles) || p.startsIn(p.XTestGoFiles)
		}
	}
	for _, p := range packages {
		path, isTest := strings.CutSuffix(p.ImportPath, ".test")
		if isTest && (starting[path] || starting[p.ImportPath] || slices.ContainsFunc(p.Deps, func(dep string) bool {
			dep, _, _ = strings.Cut(dep, " ") // without the test that it is compiled for
			return starting[dep]
		})) {
			paths = append(paths, path)
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

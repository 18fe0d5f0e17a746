package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// forbidden lists the names that only cmd and test programs may use: those that
// print, ask, end the process, or read its working directory. environment lists
// those that app may not use either, because it gets them from Env. Packages
// below app read the variables that git and the system define.
var (
	forbidden = map[string][]string{
		"os":  {"Stdout", "Stderr", "Stdin", "Exit", "Getwd"},
		"fmt": {"Print", "Printf", "Println"},
		"log": {"Print", "Printf", "Println", "Fatal", "Fatalf"},
	}
	environment = []string{"Getenv", "LookupEnv", "Environ"}
)

// TestEffectsStandAtTheDoor looks for them in every other package.
func TestEffectsStandAtTheDoor(t *testing.T) {
	err := filepath.WalkDir("../../..", func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel("../../..", path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			switch filepath.ToSlash(rel) {
			case "cmd", "internal/terminal", "internal/testing", "testdata", ".git", "bin":
				return filepath.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(rel, ".go") && !strings.HasSuffix(rel, "_test.go") && !strings.Contains(rel, "testdata") {
			for _, use := range usesOf(t, path) {
				t.Errorf("%s uses %s, which it must not", filepath.ToSlash(rel), use)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// usesOf returns the forbidden names that a file uses.
func usesOf(t *testing.T, path string) (uses []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if pkg, ok := s.X.(*ast.Ident); ok && pkg.Obj == nil {
				names := forbidden[pkg.Name]
				if strings.HasPrefix(filepath.ToSlash(path), "../../../app/") && pkg.Name == "os" {
					names = slices.Concat(names, environment)
				}
				if slices.Contains(names, s.Sel.Name) {
					uses = append(uses, pkg.Name+"."+s.Sel.Name)
				}
			}
		}
		return true
	})
	return uses
}

func TestEffectsAreSeen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.go")
	if err := os.WriteFile(path, []byte("package x\n\nimport \"os\"\n\nfunc f() { os.Exit(len(os.Args)) }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if uses := usesOf(t, path); len(uses) != 1 || uses[0] != "os.Exit" {
		t.Errorf("found %v", uses)
	}
}

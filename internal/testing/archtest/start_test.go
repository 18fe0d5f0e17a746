package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNothingIsCompiledAtStart checks that a regular expression in a package
// variable is compiled on first use, by sync.OnceValue. Every command
// initializes all packages, and compiling one expression takes 20 to 150 µs.
func TestNothingIsCompiledAtStart(t *testing.T) {
	err := filepath.WalkDir("../../..", func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testing" || d.Name() == "testdata" || d.Name() == ".git"):
			return filepath.SkipDir
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			for _, name := range compiledAtStart(file) {
				t.Errorf("%s compiles %s at the start of every command", path, name)
			}
			for _, i := range file.Imports {
				if i.Path.Value == `"github.com/spf13/cobra/doc"` {
					t.Errorf("%s imports %s, whose parser of Markdown takes 0.4 ms of every command", path, i.Path.Value)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// compiledAtStart returns the variables of a file that are regular expressions.
func compiledAtStart(file *ast.File) (names []string) {
	for _, d := range file.Decls {
		vars, ok := d.(*ast.GenDecl)
		if !ok || vars.Tok != token.VAR {
			continue
		}
		for _, spec := range vars.Specs {
			v := spec.(*ast.ValueSpec)
			for _, value := range v.Values {
				ast.Inspect(value, func(n ast.Node) bool {
					if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "MustCompile" {
						names = append(names, v.Names[0].Name)
					}
					_, inside := n.(*ast.FuncLit)
					return !inside
				})
			}
		}
	}
	return names
}

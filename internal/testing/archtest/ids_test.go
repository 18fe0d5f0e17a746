package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// messages lists the functions that make messages for users.
var messages = []string{"Errorf", "say", "Say", "hint", "Hint", "warn", "Warn", "printf", "degrade", "usagef", "Usagef"}

// wholeIDs lists the fields that hold whole IDs, of 36 characters, unless the
// reader of the message gave them.
var wholeIDs = []string{"ID", "EntryID", "Supersedes", "SupersededBy", "Undoes"}

// asGiven lists the arguments that repeat a user's input.
var asGiven = []string{"app/forget/memoryundo.go r.ID", "app/run/conversation.go c.ID", "server/entries.go in.ID", "server/facts.go in.Supersedes"}

// TestMessagesHaveShortIDs checks that a message for a user contains no whole
// ID.
func TestMessagesHaveShortIDs(t *testing.T) {
	root, set := filepath.Join("..", "..", ".."), token.NewFileSet()
	for _, dir := range []string{"app", "cmd/agentflow", "internal/describe", "executor", "mcp", "server", "internal/share", "writeback"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(set, path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || !slices.Contains(messages, nameOf(call.Fun)) {
					return true
				}
				for _, arg := range call.Args {
					s, ok := arg.(*ast.SelectorExpr)
					if !ok || !slices.Contains(wholeIDs, s.Sel.Name) || strings.Contains(formatOf(call), "%.8s") {
						continue
					}
					at := set.Position(arg.Pos())
					name, _ := filepath.Rel(root, at.Filename)
					if !slices.Contains(asGiven, filepath.ToSlash(name)+" "+nameOf(s.X)+"."+s.Sel.Name) {
						t.Errorf("%s:%d: a message has the whole id %s.%s: use memory.ShortID", name, at.Line, nameOf(s.X), s.Sel.Name)
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// nameOf returns the last name of an expression.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// formatOf returns the first text among the arguments of a call.
func formatOf(call *ast.CallExpr) string {
	for _, arg := range call.Args {
		if lit, ok := arg.(*ast.BasicLit); ok {
			return lit.Value
		}
	}
	return ""
}

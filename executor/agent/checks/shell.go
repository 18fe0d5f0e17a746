package checks

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// prepares lists programs that precede a check. They do not fail, or report a failure in the
// first line of the output.
var prepares = map[string]bool{
	"cd": true, "pushd": true, "popd": true, "set": true, "export": true, "unset": true, "ulimit": true, "umask": true,
	"source": true, ".": true, "echo": true, "printf": true, "true": true, ":": true,
}

// harmless reports whether a statement only prepares others, or prints.
func harmless(s *syntax.Stmt) bool {
	if s.Negated || s.Background || s.Coprocess {
		return false
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		return len(c.Args) == 0 || prepares[c.Args[0].Lit()]
	case *syntax.BinaryCmd:
		return c.Op == syntax.AndStmt && harmless(c.X) && harmless(c.Y)
	}
	return false
}

// fails reports whether a statement ends with a status other than 0.
func fails(s *syntax.Stmt) bool {
	if s.Negated || s.Background || s.Coprocess {
		return false
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		words := literals(c.Args)
		return len(words) == 1 && words[0] == "false" ||
			len(words) == 2 && (words[0] == "exit" || words[0] == "return") && slices.Contains([]string{"1", "2", "3"}, words[1])
	case *syntax.Block:
		return len(c.Stmts) > 0 && fails(c.Stmts[len(c.Stmts)-1])
	case *syntax.Subshell:
		return len(c.Stmts) > 0 && fails(c.Stmts[len(c.Stmts)-1])
	}
	return false
}

func all(list []*syntax.Stmt, is func(*syntax.Stmt) bool) bool {
	return !slices.ContainsFunc(list, func(s *syntax.Stmt) bool { return !is(s) })
}

// literals returns the words of a call. A word that is only known when the command runs is
// empty.
func literals(words []*syntax.Word) []string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i], _ = literal(w)
	}
	return list
}

// literal returns a word without its quotes. It returns false if the word is not a plain text.
func literal(w *syntax.Word) (string, bool) {
	if text := w.Lit(); text != "" {
		return text, true
	}
	if len(w.Parts) != 1 {
		return "", false
	}
	switch p := w.Parts[0].(type) {
	case *syntax.SglQuoted:
		return p.Value, !p.Dollar
	case *syntax.DblQuoted:
		if len(p.Parts) == 1 {
			text, ok := p.Parts[0].(*syntax.Lit)
			return strings.ReplaceAll(litOf(text), `\"`, `"`), ok
		}
	}
	return "", false
}

func litOf(l *syntax.Lit) string {
	if l == nil {
		return ""
	}
	return l.Value
}

// scriptOf returns the script that a shell gets with -c.
func scriptOf(args []*syntax.Word) (string, bool) {
	for i, w := range args {
		option := w.Lit()
		if !strings.HasPrefix(option, "-") {
			return "", false
		}
		if strings.HasSuffix(option, "c") && i+1 < len(args) {
			return literal(args[i+1])
		}
	}
	return "", false
}

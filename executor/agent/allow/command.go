package allow

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// reader finds the rules for the parts of a command. Claude asks about each part, except those
// that only read.
type reader struct {
	command string
	rules   []string
	why     string // the first reason for which there is no rule
}

func (r *reader) refuse(why string) {
	if r.why == "" {
		r.why = why
	}
}

func (r *reader) stmt(s *syntax.Stmt) {
	if s.Background || s.Coprocess {
		r.refuse("it starts a program in the background")
	}
	for _, redirect := range s.Redirs {
		r.redirect(redirect)
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		r.call(c)
	case *syntax.BinaryCmd:
		r.stmt(c.X)
		r.stmt(c.Y)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			r.stmt(c.Stmt)
		}
	default:
		r.refuse("it is a script")
	}
}

func (r *reader) redirect(redirect *syntax.Redirect) {
	to := redirect.Word.Lit()
	switch redirect.Op {
	case syntax.DplOut, syntax.DplIn:
		if to == "1" || to == "2" || to == "0" {
			return
		}
	case syntax.RdrIn:
		if to != "" {
			return
		}
	case syntax.RdrOut, syntax.AppOut, syntax.RdrAll:
		if to == "/dev/null" {
			return
		}
	}
	r.refuse("it writes a file through the shell, or is given a text")
}

// call adds the rule for a simple command.
func (r *reader) call(c *syntax.CallExpr) {
	prefix := ""
	for _, a := range c.Assigns {
		set := r.text(a)
		if !harmless().MatchString(set) {
			r.refuse("it sets " + a.Name.Value)
		}
		prefix += set + " "
	}
	words := make([]string, len(c.Args))
	for i, w := range c.Args {
		if expands(w) {
			r.refuse("it depends on what the shell puts in for " + r.text(w))
		}
		words[i] = r.text(w)
	}
	if words = withoutWrapper(words); len(words) == 0 || prefix == "" && slices.Contains(readers, words[0]) {
		return
	}
	rule, why := ofWords(words)
	if why != "" {
		r.refuse(why)
		return
	}
	r.rules = add(r.rules, "Bash("+prefix+rule+")")
}

func (r *reader) text(n syntax.Node) string {
	return r.command[n.Pos().Offset():n.End().Offset()]
}

// harmless matches variables that only change how a check runs.
var harmless = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(CGO_ENABLED|GOOS|GOARCH|CI|NODE_ENV|RUST_BACKTRACE|NO_COLOR|FORCE_COLOR|TZ|LANG|LC_ALL|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE)=[A-Za-z0-9_.-]*$`)
})

// expands reports whether the shell replaces a part of a word.
func expands(w *syntax.Word) (found bool) {
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n.(type) {
		case nil, *syntax.Word, *syntax.Lit, *syntax.SglQuoted, *syntax.DblQuoted:
		default:
			found = true
		}
		return !found
	})
	return found
}

// withoutWrapper removes programs that only run another one, as Claude does.
func withoutWrapper(words []string) []string {
	switch {
	case len(words) > 2 && words[0] == "timeout" && seconds().MatchString(words[1]):
		return withoutWrapper(words[2:])
	case len(words) > 1 && words[0] == "nice" && !strings.HasPrefix(words[1], "-"):
		return withoutWrapper(words[1:])
	}
	return words
}

var seconds = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]+[smh]?$`) })

// readers run without a question from Claude.
var readers = []string{"cd", "ls", "cat", "head", "tail", "grep", "wc", "pwd", "echo", "true", "false", "sort", "uniq", "which"}

// plain matches a word without a special meaning in the shell and in a rule.
var plain = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_./=@%+:-]+$`) })

// ofWords returns the rule for the words of a simple command, or why there is none.
func ofWords(words []string) (rule, why string) {
	if why := danger(words); why != "" {
		return "", why
	}
	if n := anyArguments(words); n > 0 {
		if len(words) == n {
			return strings.Join(words, " "), ""
		}
		return strings.Join(words[:n], " ") + " *", ""
	}
	if strings.Contains(words[0], "=") || slices.ContainsFunc(words, func(w string) bool { return !plain().MatchString(w) }) {
		return "", "it has quotes or patterns"
	}
	return strings.Join(words, " "), ""
}

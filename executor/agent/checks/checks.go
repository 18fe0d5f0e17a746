// Package checks recognizes shell commands that run tests and linters, and reports how those
// ended. It is pure.
//
// Guarantees: a check passed or failed only if the exit status of the whole command shows it. A
// check with a hidden status, as in "go test | tail" and "npm test || true", has no end.
//
// Not guaranteed: that every check is recognized.
package checks

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"agentflow/gitwatch/toolcalls"

	"mvdan.cc/sh/v3/syntax"
)

// End is how a check, or a whole command, ended. It is empty if that is unknown.
type End string

// The known ends.
const (
	Passed End = "passed"
	Failed End = "failed"
	NotRun End = "could not run" // its program, script or module is missing
)

// maxExit bounds the exit status of a program that ran to its end. Higher ones mean that a
// program did not start, took too long, or was ended by a signal.
const maxExit = 123

// OfExit returns the end of a command with an exit status.
func OfExit(status int) End {
	switch {
	case status == 0:
		return Passed
	case status > 0 && status <= maxExit:
		return Failed
	}
	return ""
}

// Check is a test or a linter that ran.
type Check struct {
	Name string `json:"name"`          // "go test ./..."
	Dir  string `json:"dir,omitempty"` // the folder in which it ran; empty: where the agent works; see UnknownDir
	End  End    `json:"end,omitempty"`
}

// Limits of the checks that are read and kept.
const (
	maxChecks = 20  // of one command
	maxName   = 200 // bytes
)

// UnknownDir stands for a folder that the text of commands does not show.
const UnknownDir = "?"

// Ended returns the checks that a shell command ran in a folder, given the end of the whole
// command and its output. after is the folder of the shell afterwards. For a command that
// cannot be parsed it returns no checks.
func Ended(command, dir string, whole End, output string) (list []Check, after string) {
	r := reader{whole: whole, dir: dir, seen: map[*syntax.CallExpr]bool{}}
	if !r.script(command, known{true, true}) {
		return nil, UnknownDir
	}
	for i := range r.found {
		if c := &r.found[i]; r.prepared && brokenOff(output) || c.End == Passed && ranNothing(output) {
			c.End = ""
		} else if c.End != Passed && len(r.found) == 1 && c.isMissing(output) {
			c.End = NotRun
		}
	}
	if whole != Passed && r.dir != dir {
		return r.found, UnknownDir
	}
	return r.found, r.dir
}

// brokenOff reports whether a shell could not change its folder or read a file.
func brokenOff(output string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(output), "\n")
	return noFile().MatchString(first)
}

var noFile = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)no such file or directory|not a directory|permission denied`)
})

// isMissing reports whether the output begins with the message that the check's own program, script or
// Python module was not found.
func (c Check) isMissing(output string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(output), "\n")
	m := notFound().FindStringSubmatch(strings.TrimSpace(first))
	if m == nil {
		return false
	}
	name := strings.Join(m[1:], "") // of the program or module; empty: a tool says that it has no such script
	return name == "" || slices.Contains(strings.Fields(c.Name), name)
}

var notFound = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\S*python[0-9.]*: No module named (\S+)$` +
		`|^(?:\S+: )?(?:line \d+: |\d+: )?(\S+): (?:command )?not found$|^zsh: command not found: (\S+)$` +
		`|^npm (?:error|ERR!) (?:Missing script: |could not determine executable to run)` +
		`|^error:? (?:no such command: |Command "[^"]+" not found)|^go: no such tool |^make: \*\*\* No rule to make target `)
})

// ranNothing reports whether the output says that go test found no test.
func ranNothing(output string) bool {
	nothing := false
	for line := range strings.Lines(output) {
		empty := strings.Contains(line, "[no tests to run]") || strings.Contains(line, "[no test files]")
		if strings.HasPrefix(line, "ok ") && !empty {
			return false
		}
		nothing = nothing || empty
	}
	return nothing
}

// known says for which ends of the whole command a part has the same end.
type known struct{ pass, fail bool }

// reader finds the checks of a command.
type reader struct {
	whole    End
	found    []Check
	seen     map[*syntax.CallExpr]bool
	text     string // of the script
	dir      string // the current folder
	prepared bool   // it changed the folder, or read another script
	strict   bool   // set -e
	pipefail bool
}

// script reads a complete script. It returns false if it cannot parse the script.
func (r *reader) script(text string, k known) bool {
	file, ok := toolcalls.Parse(text)
	if !ok {
		return false
	}
	outer := r.text
	r.text = text
	r.list(file.Stmts, k)
	syntax.Walk(file, func(n syntax.Node) bool { // in loops, functions and substitutions
		if c, ok := n.(*syntax.CallExpr); ok && !r.seen[c] {
			r.call(c, known{})
		}
		return true
	})
	r.text = outer
	return true
}

// list reads statements. The status of the last one is the status of the list.
func (r *reader) list(list []*syntax.Stmt, k known) {
	for i, s := range list {
		switch last := i == len(list)-1; {
		case last && r.strict && !all(list[:i], harmless):
			r.stmt(s, known{pass: k.pass})
		case last:
			r.stmt(s, k)
		case r.strict:
			r.stmt(s, known{pass: k.pass})
		default:
			r.stmt(s, known{})
		}
	}
}

func (r *reader) stmt(s *syntax.Stmt, k known) {
	if s.Negated || s.Background || s.Coprocess {
		k = known{}
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		r.call(c, k)
	case *syntax.BinaryCmd:
		r.binary(c, k)
	case *syntax.Block:
		r.list(c.Stmts, k)
	case *syntax.Subshell:
		r.apart(func() { r.list(c.Stmts, k) })
	case *syntax.TimeClause:
		if c.Stmt != nil {
			r.stmt(c.Stmt, k)
		}
	}
}

// apart calls read for commands that run in a separate shell.
func (r *reader) apart(read func()) {
	dir, strict, pipefail := r.dir, r.strict, r.pipefail
	read()
	r.dir, r.strict, r.pipefail = dir, strict, pipefail
}

func (r *reader) binary(c *syntax.BinaryCmd, k known) {
	x, y := k, k
	switch c.Op {
	case syntax.AndStmt:
		if !harmless(c.X) && !harmless(c.Y) {
			x.fail, y.fail = false, false
		}
		r.stmt(c.X, x)
		r.stmt(c.Y, y)
	case syntax.OrStmt:
		r.stmt(c.X, known{pass: k.pass && fails(c.Y), fail: k.fail})
		r.apart(func() { r.stmt(c.Y, known{}) })
	default: // pipes
		x, y = known{}, k
		if r.pipefail {
			x, y = known{pass: k.pass}, known{pass: k.pass}
		}
		r.apart(func() { r.stmt(c.X, x) })
		r.apart(func() { r.stmt(c.Y, y) })
	}
}

// call reads one simple command.
func (r *reader) call(c *syntax.CallExpr, k known) {
	r.seen[c] = true
	words := toolcalls.Unwrapped(literals(c.Args))
	if len(words) == 0 {
		return
	}
	args := c.Args[len(c.Args)-len(words):]
	switch path.Base(words[0]) {
	case "cd", "pushd":
		r.move(words[1:])
	case "popd":
		r.prepared, r.dir = true, UnknownDir
	case "source", ".":
		r.prepared = true
	case "set":
		r.set(words[1:])
	case "bash", "sh", "zsh", "dash":
		if text, ok := scriptOf(args[1:]); ok {
			r.apart(func() { r.script(text, k) })
			return
		}
	}
	if len(r.found) < maxChecks && isCheck(words) {
		r.found = append(r.found, Check{Name: r.name(args), Dir: r.dir, End: r.end(k)})
	}
}

func (r *reader) end(k known) End {
	if r.whole == Passed && k.pass || r.whole == Failed && k.fail {
		return r.whole
	}
	return ""
}

// name returns the command as it was written, without the folder of its program.
func (r *reader) name(args []*syntax.Word) string {
	text := r.text[args[0].Pos().Offset():args[len(args)-1].End().Offset()]
	if program, rest, _ := strings.Cut(text, " "); strings.HasPrefix(program, "/") {
		text = program[strings.LastIndexByte(program, '/')+1:] + " " + rest
	}
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxName {
		text = strings.ToValidUTF8(text[:maxName], "") + "…"
	}
	return text
}

func (r *reader) move(args []string) {
	r.prepared = true
	switch {
	case len(args) != 1 || args[0] == "" || args[0] == "-" || args[0][0] == '~' || args[0][0] == '-':
		r.dir = UnknownDir
	case args[0][0] == '/':
		r.dir = path.Clean(args[0])
	case r.dir != UnknownDir:
		if r.dir = path.Join(r.dir, args[0]); r.dir == "." {
			r.dir = ""
		}
	}
}

// set reads the options of the command set that change the status of a script.
func (r *reader) set(args []string) {
	for i, arg := range args {
		on := strings.HasPrefix(arg, "-")
		switch {
		case !on && !strings.HasPrefix(arg, "+"):
			continue
		case strings.HasSuffix(arg, "o") && i+1 < len(args) && args[i+1] == "pipefail":
			r.pipefail = on
		}
		if strings.Contains(arg, "e") {
			r.strict = on
		}
	}
}

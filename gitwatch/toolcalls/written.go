package toolcalls

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxNames bounds the names of one call, and maxCommand the text of a command that is searched for
// them, in bytes.
const (
	maxNames   = 200
	maxCommand = 64 << 10
)

// Anywhere begins a name that may be below any folder.
const Anywhere = "**/"

// BelowAny marks relative names as names that may be below any folder. It is for a shell in an
// unknown folder.
func BelowAny(names []string) []string {
	out := slices.Clone(names)
	for i, name := range out {
		if !path.IsAbs(name) && !strings.HasPrefix(name, Anywhere) {
			out[i] = Anywhere + strings.TrimPrefix(path.Clean("/"+name), "/")
		}
	}
	return out
}

// Command is the evidence of a shell command about the files that it writes.
type Command struct {
	// Names lists the words it writes to, as paths relative to the folder where it runs. After a cd
	// to an unknown place they begin with Anywhere.
	Names []string
	// Moves says that it changes the current folder, which matters for later commands of a shell
	// that keeps it.
	Moves bool
	// Git says that it runs git.
	Git bool
	// Lists says that it prints names of files that it does not write, as 'git status' and 'ls' do.
	Lists bool
	// Background says that it leaves a process running.
	Background bool
}

// Written reads a shell command for the files that it writes: the targets of
// redirections, and the arguments of programs known to write their arguments.
// A command that cannot be parsed names nothing.
func Written(command string) Command {
	file, ok := Parse(command)
	if !ok {
		return Command{Git: len(command) > maxCommand || strings.Contains(command, "git"), Lists: true}
	}
	r := commandReader{}
	syntax.Walk(file, r.visit)
	return r.out
}

// Parse parses a shell command. It fails on one that is not correct, too long, or nested so
// deeply that the parser would take seconds.
func Parse(command string) (*syntax.File, bool) {
	if len(command) > maxCommand || depth(command) > maxDepth {
		return nil, false
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	return file, err == nil
}

const maxDepth = 100

// depth returns how deeply the brackets of a text are nested.
func depth(text string) (deepest int) {
	n := 0
	for i := range len(text) {
		switch text[i] {
		case '(', '[', '{':
			n++
			deepest = max(deepest, n)
		case ')', ']', '}':
			n = max(n-1, 0)
		}
	}
	return deepest
}

// commandReader walks the syntax tree of a command, in the order of its text.
type commandReader struct {
	out Command
	dir string // the current folder, relative to the start; Anywhere if unknown
}

func (r *commandReader) visit(node syntax.Node) bool {
	switch n := node.(type) {
	case *syntax.Stmt:
		r.out.Background = r.out.Background || n.Background || n.Coprocess
		for _, redirect := range n.Redirs {
			r.redirect(redirect)
		}
	case *syntax.CallExpr:
		if words := literals(n.Args); len(words) > 0 {
			r.call(words)
		}
	}
	return true
}

func (r *commandReader) redirect(redirect *syntax.Redirect) {
	switch redirect.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrInOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
		if word, ok := literal(redirect.Word); ok {
			r.name(word)
		}
	}
}

// name adds a word as a path.
func (r *commandReader) name(word string) {
	if word == "" || word == "." || word == ".." || word == "/dev/null" || strings.HasPrefix(word, "~") ||
		len(r.out.Names) == maxNames {
		return
	}
	if !path.IsAbs(word) {
		if r.dir == Anywhere {
			word = BelowAny([]string{word})[0]
		} else {
			word = path.Join(r.dir, word)
		}
	}
	if !slices.Contains(r.out.Names, word) {
		r.out.Names = append(r.out.Names, word)
	}
}

// call reads one simple command: a program and its arguments.
func (r *commandReader) call(words []string) {
	words = Unwrapped(words)
	if len(words) == 0 {
		return
	}
	program, args := path.Base(words[0]), words[1:]
	switch program {
	case "cd", "pushd", "popd":
		r.move(program, args)
		return
	case "bash", "sh", "zsh", "dash":
		r.script(args)
		return
	case "nohup", "setsid", "disown":
		r.out.Background = true
	case "git":
		r.out.Git = true
	}
	r.out.Lists = r.out.Lists || listsFiles(program, args)
	for _, word := range writtenBy(program, args) {
		r.name(word)
	}
}

func (r *commandReader) move(program string, args []string) {
	r.out.Moves = true
	switch {
	case program != "cd" || len(args) != 1 || args[0] == "" || args[0] == "-" || strings.HasPrefix(args[0], "~"):
		r.dir = Anywhere
	case path.IsAbs(args[0]):
		r.dir = args[0]
	case r.dir != Anywhere:
		r.dir = path.Join(r.dir, args[0])
	}
}

// script reads the command that is passed to another shell with -c.
func (r *commandReader) script(args []string) {
	i := slices.IndexFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "-") && strings.HasSuffix(arg, "c") })
	if i < 0 || i+1 >= len(args) {
		return
	}
	inner := Written(args[i+1])
	for _, name := range inner.Names {
		r.name(name)
	}
	r.out.Git, r.out.Lists = r.out.Git || inner.Git, r.out.Lists || inner.Lists
	r.out.Background = r.out.Background || inner.Background
}

// literals returns the words of a call. A word that is only known when the command runs is empty,
// so that the others keep their places.
func literals(words []*syntax.Word) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i], _ = literal(w)
	}
	return out
}

func literal(w *syntax.Word) (string, bool) {
	if w == nil {
		return "", false
	}
	var b strings.Builder
	if !appendParts(&b, w.Parts) {
		return "", false
	}
	return b.String(), true
}

func appendParts(b *strings.Builder, parts []syntax.WordPart) bool {
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(unescaped(p.Value))
		case *syntax.SglQuoted:
			if p.Dollar {
				return false
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			if !appendParts(b, p.Parts) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// unescaped removes the backslashes from an unquoted word.
func unescaped(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
			if text[i] == '\n' {
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// saysWritten holds the words with which programs begin a line that names a file they wrote or
// removed. Those of git status ("modified:", "deleted:") are not among them, because they name
// changes by anyone.
var saysWritten = map[string]bool{
	"wrote": true, "writing": true, "created": true, "creating": true, "generated": true, "generating": true,
	"saved": true, "saving": true, "removed": true, "removing": true, "renamed": true, "formatted": true,
	"reformatted": true, "rewrote": true, "fixed": true, "updated": true, "patching": true,
}

// WrittenIn returns the words that a command's output names as written, in lines such as "wrote
// dist/app.js". It must not be used for commands that list changes by others.
func WrittenIn(output string) []string {
	var names []string
	for line := range strings.Lines(output[:min(len(output), maxCommand)]) {
		words := strings.Fields(line)
		if len(words) < 2 || !saysWritten[strings.ToLower(words[0])] {
			continue
		}
		for _, word := range words[1:] {
			word = strings.TrimSuffix(strings.Trim(word, "\"'`,:;()[]…"), ".")
			if word == "" || word == "." || slices.Contains(names, word) {
				continue
			}
			if names = append(names, word); len(names) == maxNames {
				return names
			}
		}
	}
	return names
}

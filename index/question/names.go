package question

import (
	"path"
	"slices"
	"strings"

	"agentflow/internal/roles"
)

// Path is a path or the name of a file in a task.
type Path struct {
	Parts []string // its elements
	// Frame is above 0 in a stack trace, and 1 for the frame in which the error occurred.
	Frame float64
}

// Module is a dotted name: "a.b.c" or "a::b".
type Module []string

// Symbol is an identifier.
type Symbol struct {
	Text   string
	Weight float64 // more if the task names it often or in its first line
}

// Limits for the names of a task.
const (
	maxPaths   = 60
	maxModules = 60
	maxSymbols = 120
)

// readNames sets the names in a text.
func (q *Question) readNames(text string) {
	r := nameReader{q: q, seen: map[string]bool{}}
	for line := range strings.Lines(text) {
		r.line(line)
	}
	r.frames()
	q.Symbols = symbols(text)
}

// nameReader collects paths and modules.
type nameReader struct {
	q      *Question
	seen   map[string]bool
	traced []frame
}

// frame is a place in a stack trace.
type frame struct {
	path      int  // in Question.Paths
	innermost bool // the last frame is the innermost, as in Python
}

func (r *nameReader) line(line string) {
	from := ""
	for start, token := range tokens(line) {
		name := strings.ReplaceAll(token, `\`, "/")
		if at := strings.Index(name, "://"); at >= 0 {
			name = name[at+3:]
		}
		name, number := withoutLine(strings.Trim(name, ".:-+@%$"))
		switch {
		case isPath(name):
			r.path(name, number || strings.HasPrefix(line[start+len(token):], `", line `), strings.HasPrefix(line[start+len(token):], `", line `))
		case strings.HasSuffix(line[:start], "from "):
			from = name
			r.module(name)
		case from != "" && name != "import" && name != "as":
			r.module(from + "." + name)
		default:
			r.module(name)
		}
	}
}

// tokens yields the runs of characters that paths and names consist of, and where they begin.
func tokens(line string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		for i := 0; i < len(line); {
			if !isNameByte(line[i]) {
				i++
				continue
			}
			end := i + 1
			for end < len(line) && isNameByte(line[end]) {
				end++
			}
			if !yield(i, line[i:end]) {
				return
			}
			i = end
		}
	}
}

func isNameByte(c byte) bool { return isLetter(c) || strings.IndexByte(`-./\+@:%$`, c) >= 0 }

func isLetter(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c >= 0x80
}

// withoutLine cuts the numbers of a line and a column off: "a.go:12:3".
func withoutLine(name string) (cut string, number bool) {
	for {
		at := strings.LastIndexByte(name, ':')
		if at < 0 || strings.Trim(name[at+1:], "0123456789") != "" {
			return name, number
		}
		name, number = name[:at], true
	}
}

// isPath reports whether a name is a path, or that of a file with a usual ending.
func isPath(name string) bool {
	base := path.Base(name)
	ext := path.Ext(base)
	if strings.Contains(name, "/") {
		return ext != "" && ext != "." && len(ext) <= 9
	}
	return len(ext) < len(base) && roles.IsEnding(ext)
}

func (r *nameReader) path(name string, number, python bool) {
	parts := strings.FieldsFunc(name, func(c rune) bool { return c == '/' })
	for len(parts) > 1 && (strings.Trim(parts[0], ".~") == "" || (parts[0] == "a" || parts[0] == "b") && len(parts) > 2) {
		parts = parts[1:]
	}
	if len(parts) == 0 || len(r.q.Paths) >= maxPaths {
		return
	}
	key := strings.Join(parts, "/")
	if number {
		r.traced = append(r.traced, frame{len(r.q.Paths), python})
	} else if r.seen[key] {
		return
	}
	r.seen[key] = true
	r.q.Paths = append(r.q.Paths, Path{Parts: parts})
}

// frames sets Frame: it rises to the innermost frame.
func (r *nameReader) frames() {
	n := float64(len(r.traced))
	for i, f := range r.traced {
		place := n - float64(i)
		if f.innermost {
			place = float64(i + 1)
		}
		r.q.Paths[f.path].Frame = place / n
	}
}

func (r *nameReader) module(name string) {
	parts := strings.FieldsFunc(name, func(c rune) bool { return c == '.' || c == ':' })
	if len(parts) < 2 || len(parts) > 12 || len(r.q.Modules) >= maxModules || r.seen[name] || strings.Contains(name, "/") {
		return
	}
	if len(slices.MaxFunc(parts, func(a, b string) int { return len(a) - len(b) })) < minSymbol {
		return // "e.g"
	}
	for _, p := range parts {
		if c := p[0]; '0' <= c && c <= '9' || strings.Trim(p, "-+@%$") != p {
			return
		}
	}
	r.seen[name] = true
	r.q.Modules = append(r.q.Modules, parts)
}

package rules

import (
	"bytes"
	"path/filepath"
	"strings"
	"sync"

	"agentflow/gitwatch/internal/git"
	"agentflow/internal/safefile"
)

// Conversion says which of git's conversions may apply between a file and its blob. It may name too
// many, but never too few: git is asked about each of them.
type Conversion uint8

const (
	LineEnds Conversion = 1 << iota // line ends: affects files with a CR
	Ident                           // $Id$
	Filter                          // filter= or working-tree-encoding=
)

// Changes reports whether a conversion can change this content.
func (c Conversion) Changes(content []byte) bool {
	return c&Filter != 0 ||
		c&Ident != 0 && bytes.Contains(content, []byte("$Id")) ||
		c&LineEnds != 0 && bytes.IndexByte(content, '\r') >= 0
}

// Attributes holds the conversions that .gitattributes files demand (gitattributes(5)). It is safe
// for concurrent use.
type Attributes struct {
	ruleReader
	top   string
	all   Conversion // applies to every path: core.autocrlf
	outer []attrRule

	mu     sync.Mutex
	macros map[string]Conversion
	inDir  map[string][]attrRule
}

type attrRule struct {
	rule
	convert Conversion
}

// ReadAttributes reads the files outside the work tree, those of lowest precedence first. autocrlf
// says that git converts line ends of every file.
func ReadAttributes(top string, autocrlf bool, files ...string) (*Attributes, error) {
	a := &Attributes{top: top, inDir: map[string][]attrRule{}, macros: map[string]Conversion{}}
	if autocrlf {
		a.all = LineEnds
	}
	for _, file := range files {
		rules, err := a.read(file, safefile.AnyLink)
		if err != nil {
			return nil, err
		}
		a.outer = append(a.outer, rules...)
	}
	return a, nil
}

// Of returns the conversion that may apply to a path.
func (a *Attributes) Of(path string) (Conversion, error) {
	convert := a.all | matchAttrs(a.outer, "", path)
	for base, rest := "", path; ; {
		rules, err := a.in(base)
		if err != nil {
			return 0, err
		}
		convert |= matchAttrs(rules, base, path)
		name, deeper, ok := strings.Cut(rest, "/")
		if !ok {
			return convert, nil
		}
		base, rest = base+name+"/", deeper
	}
}

// in returns the rules of a folder. It reads them at the first call.
func (a *Attributes) in(base string) ([]attrRule, error) {
	a.mu.Lock()
	rules, known := a.inDir[base]
	a.mu.Unlock()
	if known {
		return rules, nil
	}
	rules, err := a.read(filepath.Join(a.top, filepath.FromSlash(base), ".gitattributes"), safefile.NoLink)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	a.inDir[base] = rules
	a.mu.Unlock()
	return rules, nil
}

func matchAttrs(rules []attrRule, base, path string) Conversion {
	var convert Conversion
	name := path[strings.LastIndexByte(path, '/')+1:]
	for _, r := range rules {
		if r.convert&^convert != 0 && r.matches(name, path[len(base):]) {
			convert |= r.convert
		}
	}
	return convert
}

// read reads one attributes file, and keeps the lines that convert.
func (a *Attributes) read(file string, links safefile.Links) ([]attrRule, error) {
	text, err := a.text(file, links)
	if err != nil {
		return nil, err
	}
	a.mu.Lock() // for the macros
	defer a.mu.Unlock()
	var rules []attrRule
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimLeft(line, blanks)
		if line == "" || line[0] == '#' {
			continue
		}
		pattern, names := attrLine(line)
		convert := a.convert(names)
		if macro, ok := strings.CutPrefix(pattern, "[attr]"); ok {
			a.macros[macro] = convert
			continue
		}
		if r, ok := parsePattern(pattern); ok && convert != 0 {
			rules = append(rules, attrRule{r, convert})
		}
	}
	return rules, nil
}

// blanks split a line into words, as in git. A form feed does not.
const blanks = " \t\r\n"

// attrLine splits a line that is not blank into its pattern, which may be quoted, and its
// attributes.
func attrLine(line string) (pattern string, names []string) {
	pattern, rest, quoted := git.Unquote(line)
	if !quoted {
		end := strings.IndexAny(line, blanks)
		if end < 0 {
			end = len(line)
		}
		pattern, rest = line[:end], line[end:]
	}
	return pattern, strings.FieldsFunc(rest, func(r rune) bool { return strings.ContainsRune(blanks, r) })
}

func (a *Attributes) convert(names []string) Conversion {
	var c Conversion
	for _, n := range names {
		n, _, _ = strings.Cut(n, "=")
		switch n {
		case "text", "eol", "crlf":
			c |= LineEnds
		case "ident":
			c |= Ident
		case "filter", "working-tree-encoding":
			c |= Filter
		default:
			c |= a.macros[n]
		}
	}
	return c
}

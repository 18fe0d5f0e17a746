package gitwatch

import (
	"bytes"
	"path/filepath"
	"strings"
	"sync"

	"agentflow/gitwatch/internal/git"
	"agentflow/internal/repofile"
)

// conversion says which of git's conversions may stand between a file and its
// blob. It errs to "may": what it names, git is asked about.
type conversion uint8

const (
	convertEOL    conversion = 1 << iota // line ends: acts on files with a CR
	convertIdent                         // $Id$
	convertFilter                        // filter= or working-tree-encoding=
)

// acts says whether a conversion can change this content.
func (c conversion) acts(content []byte) bool {
	return c&convertFilter != 0 ||
		c&convertIdent != 0 && bytes.Contains(content, []byte("$Id")) ||
		c&convertEOL != 0 && bytes.IndexByte(content, '\r') >= 0
}

// attributes knows which conversions .gitattributes files ask for
// (gitattributes(5)). It is safe for concurrent use.
type attributes struct {
	ruleReader
	top   string
	all   conversion // of every path: core.autocrlf
	outer []attrRule

	mu     sync.Mutex
	macros map[string]conversion
	inDir  map[string][]attrRule
}

type attrRule struct {
	rule
	convert conversion
}

func newAttributes(p *place, set settings) (*attributes, error) {
	a := &attributes{top: p.top, inDir: map[string][]attrRule{}, macros: map[string]conversion{}}
	if set.autocrlf {
		a.all = convertEOL
	}
	for _, file := range []string{
		"/etc/gitattributes", set.attributesFile, filepath.Join(p.common, "info", "attributes"),
	} {
		rules, err := a.read(file, repofile.AnyLink)
		if err != nil {
			return nil, err
		}
		a.outer = append(a.outer, rules...)
	}
	return a, nil
}

// of is the conversion that may apply to a path.
func (a *attributes) of(path string) (conversion, error) {
	convert := a.all | matchAttrs(a.outer, "", path)
	for base, rest := "", path; ; {
		rules, err := a.in(base)
		if err != nil {
			return 0, err
		}
		convert |= matchAttrs(rules, base, path)
		name, deeper, ok := cutPath(rest)
		if !ok {
			return convert, nil
		}
		base, rest = base+name+"/", deeper
	}
}

// in are the rules of a folder, which are read when they are first asked for.
func (a *attributes) in(base string) ([]attrRule, error) {
	a.mu.Lock()
	rules, known := a.inDir[base]
	a.mu.Unlock()
	if known {
		return rules, nil
	}
	rules, err := a.read(filepath.Join(a.top, filepath.FromSlash(base), ".gitattributes"), repofile.NoLink)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	a.inDir[base] = rules
	a.mu.Unlock()
	return rules, nil
}

func matchAttrs(rules []attrRule, base, path string) conversion {
	var convert conversion
	name := path[strings.LastIndexByte(path, '/')+1:]
	for _, r := range rules {
		if r.convert&^convert != 0 && r.matches(name, path[len(base):]) {
			convert |= r.convert
		}
	}
	return convert
}

// read reads one attributes file, keeping the lines that convert.
func (a *attributes) read(file string, links repofile.Links) ([]attrRule, error) {
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

// blanks are what git parts the words of a line at. A form feed is none.
const blanks = " \t\r\n"

// attrLine splits a line that is not blank into its pattern, which may be
// quoted, and its attributes.
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

func (a *attributes) convert(names []string) conversion {
	var c conversion
	for _, n := range names {
		n, _, _ = strings.Cut(n, "=")
		switch n {
		case "text", "eol", "crlf":
			c |= convertEOL
		case "ident":
			c |= convertIdent
		case "filter", "working-tree-encoding":
			c |= convertFilter
		default:
			c |= a.macros[n]
		}
	}
	return c
}

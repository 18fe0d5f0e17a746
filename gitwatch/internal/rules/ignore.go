// Package rules reads ignore rules and attributes, and matches paths with them as git does
// (gitignore(5), gitattributes(5)).
//
// Guarantees: the time of a match grows in proportion to the lengths of pattern and path. A file
// that git may convert is never missed.
package rules

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"agentflow/internal/safefile"
)

// rule is one line of an ignore file (gitignore(5)).
type rule struct {
	pattern  string // without leading '!' and '/', trailing '/'
	negate   bool
	dirOnly  bool
	anchored bool // holds a slash: matched against the path below base
}

// ruleSet is one ignore file: base is the folder its rules are relative to,
// "" or ending in '/'.
type ruleSet struct {
	base  string
	rules []rule
}

// parseRules reads an ignore file.
func parseRules(text string) []rule {
	var rules []rule
	for line := range strings.SplitSeq(text, "\n") {
		if r, ok := parseRule(strings.TrimSuffix(line, "\r")); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

func parseRule(line string) (rule, bool) {
	if strings.HasPrefix(line, "#") {
		return rule{}, false
	}
	return parsePattern(trimSpaces(line))
}

// parsePattern reads a pattern, in which blanks are significant.
func parsePattern(line string) (rule, bool) {
	var r rule
	if strings.HasPrefix(line, "!") {
		r.negate, line = true, line[1:]
	}
	if strings.HasSuffix(line, "/") {
		r.dirOnly, line = true, line[:len(line)-1]
	}
	r.anchored = strings.Contains(line, "/")
	r.pattern = strings.TrimPrefix(line, "/")
	return r, r.pattern != ""
}

// trimSpaces removes trailing spaces unless a backslash quotes them.
func trimSpaces(line string) string {
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	return line
}

// ignoredBy decides by the last rule that matches, innermost file first. path is relative
// to the work tree; its parent folders are not ignored.
func ignoredBy(sets []ruleSet, path string, isDir bool) bool {
	name := path[strings.LastIndexByte(path, '/')+1:]
	for i := len(sets) - 1; i >= 0; i-- {
		set := sets[i]
		below := path[len(set.base):]
		for j := len(set.rules) - 1; j >= 0; j-- {
			r := set.rules[j]
			if r.dirOnly && !isDir {
				continue
			}
			if r.matches(name, below) {
				return !r.negate
			}
		}
	}
	return false
}

// matches compares a rule with a path's last name, or with all of it below the rule's
// folder. As git does, it compares the part before the first wildcard literally, so that
// "a**/b" is "a" and then "**/b".
func (r rule) matches(name, below string) bool {
	if !r.anchored {
		return Match(r.pattern, name)
	}
	literal := strings.IndexAny(r.pattern, `*?[\`)
	if literal < 0 {
		return r.pattern == below
	}
	return strings.HasPrefix(below, r.pattern[:literal]) && Match(r.pattern[literal:], below[literal:])
}

// Ignores holds the ignore rules of each folder. It reads a folder's rules at the first question
// about a name in it, because most folders hold only tracked files. It is safe for concurrent use.
type Ignores struct {
	ruleReader
	top string
	mu  sync.Mutex
	in  map[string]folderRules // by folder, "" or ending in '/'
}

// folderRules are the rules of a folder, those of lowest precedence first.
type folderRules struct {
	sets    []ruleSet
	ignored bool // the folder itself is ignored, and so is everything in it
}

// ReadIgnores reads the rules of lowest precedence: the user's, then those of the repository, then
// those of the top folder.
func ReadIgnores(top string, files ...string) (*Ignores, error) {
	g := &Ignores{top: top, in: map[string]folderRules{}}
	var outer folderRules
	for _, file := range files {
		text, err := g.text(file, safefile.AnyLink)
		if err != nil {
			return nil, err
		}
		outer.sets = append(outer.sets, ruleSet{rules: parseRules(text)})
	}
	err := g.add(&outer, "")
	return g, err
}

// Ignored reports whether an untracked path is ignored. If a rule file cannot be read, the first
// question about it returns the error, and the file counts as having no rules.
func (g *Ignores) Ignored(path string, isDir bool) (bool, error) {
	rules, err := g.of(path[:strings.LastIndexByte(path, '/')+1])
	return rules.ignored || ignoredBy(rules.sets, path, isDir), err
}

// of returns a folder's rules.
func (g *Ignores) of(folder string) (folderRules, error) {
	g.mu.Lock()
	rules, known := g.in[folder]
	g.mu.Unlock()
	if known {
		return rules, nil
	}
	path := strings.TrimSuffix(folder, "/")
	outer, err := g.of(path[:strings.LastIndexByte(path, '/')+1])
	rules = folderRules{outer.sets, outer.ignored || ignoredBy(outer.sets, path, true)}
	return rules, errors.Join(err, g.add(&rules, folder))
}

// add adds the rules of a folder to those of the folders around it. It follows no link, because a
// link could lead out of the work tree.
func (g *Ignores) add(rules *folderRules, folder string) error {
	file := filepath.Join(g.top, filepath.FromSlash(folder), ".gitignore")
	var text string
	var err error
	if !rules.ignored {
		text, err = g.text(file, safefile.NoLink)
	}
	if own := parseRules(text); len(own) > 0 {
		rules.sets = append(slices.Clip(rules.sets), ruleSet{folder, own})
	}
	g.mu.Lock()
	g.in[folder] = *rules
	g.mu.Unlock()
	return err
}

// Bounds of ignore rules and attributes, in bytes: of one file, and of all in one comparison. Every
// rule is kept in memory, and may be compared with every path.
const (
	maxRuleFile  = 1 << 20
	maxRuleFiles = 8 << 20
)

// ruleReader reads ignore and attributes files. It is safe for concurrent use.
type ruleReader struct {
	read atomic.Int64 // bytes
}

// text returns a file of rules. It returns "" if there is no such file and, as git does, for a
// folder or a link that must not be followed.
func (r *ruleReader) text(file string, links safefile.Links) (string, error) {
	if file == "" {
		return "", nil
	}
	limit := min(maxRuleFile, maxRuleFiles-r.read.Load())
	data, err := safefile.Read(file, links, max(0, limit))
	if safefile.IsAbsent(err) || errors.Is(err, safefile.ErrNotRegular) {
		return "", nil
	}
	r.read.Add(int64(len(data)))
	return strings.TrimPrefix(string(data), "\ufeff"), err
}

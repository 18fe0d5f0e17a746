package gitwatch

import "strings"

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

// parsePattern reads a pattern, of which every byte counts.
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

// trimSpaces takes trailing spaces off unless a backslash quotes them.
func trimSpaces(line string) string {
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	return line
}

// ignoredBy decides by the last rule that matches, innermost file first. path
// is relative to the work tree; its parent folders are known not to be
// ignored.
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

// matches compares a rule with a path: its last name, and all of it below the
// rule's folder. As git does, what stands before the first wildcard is
// compared literally, so that "a**/b" is "a" and then "**/b".
func (r rule) matches(name, below string) bool {
	if !r.anchored {
		return wildmatch(r.pattern, name)
	}
	literal := strings.IndexAny(r.pattern, `*?[\`)
	if literal < 0 {
		return r.pattern == below
	}
	return strings.HasPrefix(below, r.pattern[:literal]) && wildmatch(r.pattern[literal:], below[literal:])
}

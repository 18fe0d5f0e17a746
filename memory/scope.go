package memory

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"agentflow/internal/pathglob"
)

// Bounds of the patterns of a fact.
const (
	maxPaths    = 20
	maxPathText = 200 // characters
)

// CheckPaths checks the patterns of a fact.
func CheckPaths(patterns []string) error {
	if len(patterns) > maxPaths {
		return fmt.Errorf("want at most %d patterns, have %d", maxPaths, len(patterns))
	}
	for _, p := range patterns {
		switch {
		case !utf8.ValidString(p) || strings.ContainsFunc(p, unicode.IsControl):
			return fmt.Errorf("want a pattern on one line, have %q", p)
		case strings.HasPrefix(p, "!"):
			return fmt.Errorf("%q excludes files: want patterns of the files that the fact is about", p)
		case utf8.RuneCountInString(p) > maxPathText:
			return fmt.Errorf("want at most %d characters, have %d", maxPathText, utf8.RuneCountInString(p))
		}
		if err := pathglob.Check(p); err != nil {
			return err
		}
	}
	return nil
}

// SplitList splits a list at its commas, except those between braces.
func SplitList(text string) (list []string) {
	depth, from := 0, 0
	for i, c := range []byte(text + ",") {
		switch {
		case c == '{':
			depth++
		case c == '}':
			depth--
		case c == ',' && (depth <= 0 || i == len(text)):
			if item := strings.TrimSpace(text[from:i]); item != "" {
				list = append(list, item)
			}
			from = i + 1
		}
	}
	return list
}

// Scope returns the patterns of the files that a fact is about: its Paths, or else the innermost
// heading above it that is a path. isFolder reports whether the work tree has such a folder; nil:
// unknown. A fact without a pattern is about all files. So is one with a pattern that cannot be
// read, or that matches every file.
func (f Fact) Scope(isFolder func(name string) bool) []string {
	patterns := f.Paths
	for i := len(f.Under) - 1; i >= 0 && len(patterns) == 0; i-- {
		patterns = PathsOfHeading(f.Under[i], isFolder)
	}
	everywhere := func(p string) bool { return strings.Trim(p, "./*") == "" }
	if CheckPaths(patterns) != nil || slices.ContainsFunc(patterns, everywhere) {
		return nil
	}
	return patterns
}

// PathsOfHeading returns the pattern that a heading is: one word that ends in '/', that has a '/'
// and a '*', or that has a '/' and names a folder. It returns nil for any other heading.
func PathsOfHeading(heading string, isFolder func(name string) bool) []string {
	word := strings.Trim(strings.TrimSpace(heading), "`")
	if !strings.Contains(word, "/") || strings.ContainsFunc(word, unicode.IsSpace) || CheckPaths([]string{word}) != nil {
		return nil
	}
	if strings.HasSuffix(word, "/") || strings.Contains(word, "*") || isFolder != nil && isFolder(word) {
		return []string{word}
	}
	return nil
}

// Places lists where a piece of work happens. All are relative to the work tree, '/' separated.
type Places struct {
	Folders []string // where it is done; "" is the work tree itself and adds nothing
	Files   []string // that it touches or names
}

// Meeting returns the first of some patterns that is about one of the places.
func (p Places) Meeting(patterns []string) (pattern string, ok bool) {
	i := slices.IndexFunc(patterns, func(pattern string) bool {
		return slices.ContainsFunc(p.Folders, func(folder string) bool { return aboutFolder(pattern, folder) }) ||
			slices.ContainsFunc(p.Files, func(file string) bool { return aboutFile(pattern, file) })
	})
	if i < 0 {
		return "", false
	}
	return patterns[i], true
}

// aboutFolder reports whether a folder is below the one that a pattern begins with, or the reverse.
func aboutFolder(pattern, folder string) bool {
	base := pathglob.Folder(pattern)
	return folder != "" && base != "" && (within(folder, base) || within(base, folder))
}

// aboutFile reports whether a pattern matches a file. A pattern without a special character is
// about a file or folder of that name, and one without '/' about files in any folder.
func aboutFile(pattern, file string) bool {
	switch {
	case pathglob.Plain(pattern):
		return within(file, pathglob.Folder(pattern))
	case !strings.Contains(pattern, "/"):
		file = path.Base(file)
	}
	return pathglob.Match(pattern, file)
}

// within reports whether a path is a folder or is in it.
func within(name, folder string) bool {
	return name == folder || strings.HasPrefix(name, folder+"/")
}

// Package sources lists the Markdown files that an index is made of: which
// there are, and by their sizes and times whether they may have changed. It
// opens no index.
package sources

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/internal/pathglob"
)

// Source is a folder of Markdown files (.md) to index.
type Source struct {
	Dir    string // absolute; a missing folder holds no files
	Prefix string // put before paths in hits: "memory/"
	// Included marks Markdown that is not memory: it ranks apart, and an id, a
	// kind or a pin in it does not count.
	Included bool
	// Untrusted says of a '/' separated path below Dir whether the repository
	// brought the file, and nobody accepted it: it counts as Included, its hits
	// say so, and only the first of such files are read. Nil: none.
	Untrusted func(rel string) bool
	// Author is who shared the files; empty: they are the user's own. A pin in them does
	// not count, nor do they tell what the user's own memory holds.
	Author string
	// Include names the files below Dir, as patterns ('*' within a folder,
	// '**' across folders) over '/' separated paths relative to Dir; only
	// folders that they can lead to are read. None means every file.
	Include []string
	// Ignore names files and whole folders that are left out all the same:
	// see Ignored.
	Ignore []string
}

// Ignored says whether a '/' separated relative path, or a folder it is in,
// matches one of the patterns.
func Ignored(patterns []string, name string) bool {
	if len(patterns) == 0 {
		return false
	}
	for at := name; at != "." && at != "/" && at != ""; at = path.Dir(at) {
		if slices.ContainsFunc(patterns, func(p string) bool { return pathglob.Match(p, at) }) {
			return true
		}
	}
	return false
}

// takes says whether the file at rel, a path below Dir, belongs to the source.
func (s *Source) takes(rel string) bool {
	if !strings.EqualFold(path.Ext(rel), ".md") || Ignored(s.Ignore, rel) {
		return false
	}
	return len(s.Include) == 0 || slices.ContainsFunc(s.Include, func(p string) bool { return pathglob.Match(below(p), rel) })
}

// enters says whether the folder at rel can hold files of the source.
func (s *Source) enters(rel string) bool {
	if Ignored(s.Ignore, rel) {
		return false
	}
	if len(s.Include) == 0 {
		return true
	}
	switch base := path.Base(rel); base {
	case ".git", ".agentflow":
		return false
	case "node_modules":
		return slices.ContainsFunc(s.Include, func(p string) bool { return strings.Contains(p, base) && leadsTo(below(p), rel) })
	}
	return slices.ContainsFunc(s.Include, func(p string) bool { return leadsTo(below(p), rel) })
}

// below makes a pattern that names a folder one of all that is in it.
func below(pattern string) string {
	pattern = strings.TrimSuffix(pattern, "/")
	if last := path.Base(pattern); strings.ContainsAny(last, "*?[{") || strings.EqualFold(path.Ext(last), ".md") {
		return pattern
	}
	return pattern + "/**"
}

// leadsTo says whether the pattern can match something below the folder.
func leadsTo(pattern, folder string) bool {
	want := strings.Split(strings.TrimPrefix(pattern, "./"), "/")
	have := strings.Split(folder, "/")
	for i, part := range have {
		if i >= len(want)-1 {
			return i < len(want) && want[i] == "**"
		}
		// A brace may hold a '/': then the parts cannot be told apart.
		if want[i] == "**" || strings.Contains(want[i], "{") {
			return true
		}
		if !pathglob.Match(want[i], part) {
			return false
		}
	}
	return true
}

// Reads says whether Sync looks for files of this source in a folder, given
// by its absolute path, or below it: so that whoever waits for changes leaves out
// the same folders.
func (s *Source) Reads(folder string) bool {
	rel, err := filepath.Rel(s.Dir, folder)
	if err != nil || !filepath.IsLocal(rel) {
		return false
	}
	return rel == "." || s.enters(filepath.ToSlash(rel))
}

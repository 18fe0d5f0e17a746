// Package sources lists the Markdown files that an index is built from, and
// finds by their sizes and times which may have changed. It opens no index.
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
	Prefix string // put before the paths of hits: "memory/"
	// Included marks Markdown that is not memory: it ranks separately, and an
	// id, a kind or a pin in it does not count.
	Included bool
	// Untrusted reports whether a file, by its slash-separated path below Dir,
	// came with the repository and was not accepted by the user. Such a file
	// counts as Included, its hits are marked, and only a limited number of
	// such files is read. Nil means that no file is untrusted.
	Untrusted func(rel string) bool
	// Author is the person who shared the files; empty means that they are the
	// user's own. A pin in shared files does not count, nor do they count as
	// knowledge of the user's own memory.
	Author string
	// Include selects the files below Dir by patterns ('*' within a folder,
	// '**' across folders) over slash-separated paths relative to Dir. Only
	// folders that a pattern can lead to are read. Without patterns, every file
	// is included.
	Include []string
	// Ignore excludes files and whole folders from those: see Ignored.
	Ignore []string
}

// Ignored reports whether a slash-separated relative path, or a folder above
// it, matches one of the patterns.
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

// takes reports whether the file at rel, a path below Dir, belongs to the
// source.
func (s *Source) takes(rel string) bool {
	if !strings.EqualFold(path.Ext(rel), ".md") || Ignored(s.Ignore, rel) {
		return false
	}
	return len(s.Include) == 0 || slices.ContainsFunc(s.Include, func(p string) bool { return pathglob.Match(below(p), rel) })
}

// enters reports whether the folder at rel can hold files of the source.
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

// below extends a pattern that names a folder to everything in the folder.
func below(pattern string) string {
	pattern = strings.TrimSuffix(pattern, "/")
	if last := path.Base(pattern); strings.ContainsAny(last, "*?[{") || strings.EqualFold(path.Ext(last), ".md") {
		return pattern
	}
	return pattern + "/**"
}

// leadsTo reports whether the pattern can match a path below the folder.
func leadsTo(pattern, folder string) bool {
	want := strings.Split(strings.TrimPrefix(pattern, "./"), "/")
	have := strings.Split(folder, "/")
	for i, part := range have {
		if i >= len(want)-1 {
			return i < len(want) && want[i] == "**"
		}
		// A brace may hold a '/', so the parts cannot be compared.
		if want[i] == "**" || strings.Contains(want[i], "{") {
			return true
		}
		if !pathglob.Match(want[i], part) {
			return false
		}
	}
	return true
}

// Reads reports whether Sync looks for files of this source in a folder, given
// by its absolute path, or below it. A watcher uses it to leave out the same
// folders.
func (s *Source) Reads(folder string) bool {
	rel, err := filepath.Rel(s.Dir, folder)
	if err != nil || !filepath.IsLocal(rel) {
		return false
	}
	return rel == "." || s.enters(filepath.ToSlash(rel))
}

package undo

import (
	"strings"

	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/internal/git"
)

// pathSpan is what happened to one path from one moment to another.
type pathSpan struct {
	path          string
	before, after edits.File
}

// spansOf takes renames apart, and a commit's change from what the work tree
// held.
func spansOf(e edits.Change) []pathSpan {
	if e.OldPath == "" {
		return []pathSpan{{e.Path, first(e, true), e.After}}
	}
	return []pathSpan{{e.OldPath, e.Before, edits.File{}}, {e.Path, edits.File{}, e.After}}
}

// first is what was before a commit's change: in HEAD, or in the work tree.
func first(e edits.Change, inWorkTree bool) edits.File {
	if inWorkTree && e.Held != nil {
		return *e.Held
	}
	return e.Before
}

// layers adds up edits, oldest first, path by path. The first layer is all
// there is but for paths that somebody else changed in between: what was done
// to them after that is in the next one.
func layers(changes []edits.Change) [][]pathSpan {
	byPath := map[string][]pathSpan{}
	var order []string
	for _, e := range changes {
		if e.Stayed {
			continue
		}
		for _, s := range spansOf(e) {
			list, known := byPath[s.path]
			if !known {
				order = append(order, s.path)
			}
			if last := len(list) - 1; last >= 0 && list[last].after.Same(s.before) {
				list[last].after = s.after
				continue
			}
			byPath[s.path] = append(list, s)
		}
	}
	var out [][]pathSpan
	for _, path := range order {
		n := 0
		for _, s := range byPath[path] {
			if s.before.Same(s.after) {
				continue
			}
			if n == len(out) {
				out = append(out, nil)
			}
			out[n] = append(out[n], s)
			n++
		}
	}
	return out
}

// swept lists the paths whose change is one of HEAD alone: a commit took in
// what the work tree held before, and holds still.
func swept(changes []edits.Change, all [][]pathSpan) []string {
	told := map[string]bool{}
	for _, spans := range all {
		for _, s := range spans {
			told[s.path] = true
		}
	}
	var out []string
	for _, e := range changes {
		if (e.Held != nil || e.Stayed) && !told[e.Path] && !e.Before.Same(e.After) {
			told[e.Path] = true
			out = append(out, e.Path)
		}
	}
	return out
}

// linkGaveWay says whether a folder came where a link was. A patch that renames
// the link does not say that it was one, and git apply refuses to go "beyond a
// symbolic link".
func linkGaveWay(spans []pathSpan) bool {
	for _, link := range spans {
		if link.before.Mode != git.ModeLink || link.after.Exists() {
			continue
		}
		for _, s := range spans {
			if s.after.Exists() && strings.HasPrefix(s.path, link.path+"/") {
				return true
			}
		}
	}
	return false
}

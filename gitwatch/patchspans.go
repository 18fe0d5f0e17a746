package gitwatch

import (
	"strings"

	"agentflow/gitwatch/internal/git"
)

// pathSpan is what happened to one path from one moment to another.
type pathSpan struct {
	path          string
	before, after EditFile
}

// spansOf takes renames apart, and a commit's change from what the work tree
// held.
func spansOf(e Edit) []pathSpan {
	if e.OldPath == "" {
		return []pathSpan{{e.Path, e.first(true), e.After}}
	}
	return []pathSpan{{e.OldPath, e.Before, EditFile{}}, {e.Path, EditFile{}, e.After}}
}

// first is what was before a commit's change: in HEAD, or in the work tree.
func (e Edit) first(inWorkTree bool) EditFile {
	if inWorkTree && e.Held != nil {
		return *e.Held
	}
	return e.Before
}

// layers adds up edits, oldest first, path by path. The first layer is all
// there is but for paths that somebody else changed in between: what was done
// to them after that is in the next one.
func layers(edits []Edit) [][]pathSpan {
	byPath := map[string][]pathSpan{}
	var order []string
	for _, e := range edits {
		if e.Stayed {
			continue
		}
		for _, s := range spansOf(e) {
			list, known := byPath[s.path]
			if !known {
				order = append(order, s.path)
			}
			if last := len(list) - 1; last >= 0 && list[last].after.same(s.before) {
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
			if s.before.same(s.after) {
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
func swept(edits []Edit, all [][]pathSpan) []string {
	told := map[string]bool{}
	for _, spans := range all {
		for _, s := range spans {
			told[s.path] = true
		}
	}
	var out []string
	for _, e := range edits {
		if (e.Held != nil || e.Stayed) && !told[e.Path] && !e.Before.same(e.After) {
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

// Below returns the edits of these paths and of what is below them; of a
// rename, one of the two names is enough. No paths mean all edits.
func Below(edits []Edit, paths []string) []Edit {
	if len(paths) == 0 {
		return edits
	}
	var out []Edit
	for _, e := range edits {
		if under(e.Path, paths) || e.OldPath != "" && under(e.OldPath, paths) {
			out = append(out, e)
		}
	}
	return out
}

func under(path string, roots []string) bool {
	for _, root := range roots {
		if root == "." || path == root || strings.HasPrefix(path, root+"/") {
			return true
		}
	}
	return false
}

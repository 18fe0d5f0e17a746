package edits

import "strings"

// Below returns the edits of these paths and of what is below them; of a
// rename, one of the two names is enough. No paths mean all edits.
func Below(changes []Change, paths []string) []Change {
	if len(paths) == 0 {
		return changes
	}
	var out []Change
	for _, e := range changes {
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

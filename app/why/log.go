package why

import (
	"path/filepath"
	"strings"

	"agentflow/app"
	"agentflow/app/propose"
	"agentflow/internal/gitdir"
	"agentflow/memory"
	"agentflow/memory/changeset"
)

// Below converts paths to the form that entries have: relative to the top of the work tree, '/' separated, "." for the
// top.
func Below(s *app.Repo, paths []string) ([]string, error) {
	top := app.Top(s)
	var out []string
	for _, given := range paths {
		path := given
		if !filepath.IsAbs(path) {
			path = filepath.Join(s.Dir, path)
		}
		rel, err := filepath.Rel(gitdir.Real(top), gitdir.Real(path))
		if err != nil || !filepath.IsLocal(rel) {
			return nil, app.Usagef("%s is not in %s", given, top)
		}
		out = append(out, filepath.ToSlash(rel))
	}
	return out, nil
}

// fileAt returns the absolute path of a file below the top of the work tree, with symlinks in its folders resolved.
func fileAt(s *app.Repo, path string) string {
	return gitdir.Real(filepath.Join(app.Top(s), filepath.FromSlash(path)))
}

// NameElsewhere returns the name that the entry of a run in another working tree has for a path below this one's top.
func NameElsewhere(s *app.Repo, path string) string {
	return changeset.PathElsewhere(fileAt(s, path), filepath.Dir(s.Root), s.Dirs.Home)
}

// PathTrail reports which entries changed a path. Pass it entries from newest to oldest: after it has seen a rename, it
// also matches the earlier name.
type PathTrail struct{ Names []string }

// Passes reports whether an entry changed one of the paths, or a path below one.
func (t *PathTrail) Passes(e *memory.Entry) bool {
	hit := false
	for _, c := range propose.ChangesAnywhere(e) {
		switch {
		case t.holds(c.Path):
			if hit = true; c.OldPath != "" && !t.holds(c.OldPath) {
				t.Names = append(t.Names, c.OldPath)
			}
		case c.OldPath != "" && t.holds(c.OldPath):
			hit = true
		case c.Status == changeset.StatusFolder && t.inside(c.Path):
			hit = true // any path in the folder may have changed
		}
	}
	return hit
}

// holds reports whether path is one of the names, or below one.
func (t *PathTrail) holds(path string) bool {
	for _, name := range t.Names {
		if name == "." || path == name || strings.HasPrefix(path, name+"/") {
			return true
		}
	}
	return false
}

// inside reports whether one of the names is in a folder.
func (t *PathTrail) inside(folder string) bool {
	for _, name := range t.Names {
		if strings.HasPrefix(name, strings.TrimSuffix(folder, "/")+"/") {
			return true
		}
	}
	return false
}

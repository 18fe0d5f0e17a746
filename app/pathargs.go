package app

import (
	"cmp"
	"path/filepath"
	"strings"

	"agentflow/memory"
)

// below turns paths as they are typed, from the current folder, into those
// below the work tree's top that entries hold: '/' separated, "." for the top.
func (s *site) below(args []string) ([]string, error) {
	top := cmp.Or(s.Worktree, filepath.Dir(s.Root))
	from := s.dir
	var out []string
	for _, arg := range args {
		path := arg
		if !filepath.IsAbs(path) {
			path = filepath.Join(from, path)
		}
		rel, err := filepath.Rel(realPath(top), realPath(path))
		if err != nil || !filepath.IsLocal(rel) {
			return nil, usagef("%s is not in %s", arg, top)
		}
		out = append(out, filepath.ToSlash(rel))
	}
	return out, nil
}

// realPath follows the symlinks of the folders of a path, as far as they are
// there; the path itself may be one that an entry holds.
func realPath(path string) string {
	dir, rest := filepath.Dir(path), filepath.Base(path)
	for {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return path
		}
		dir, rest = up, filepath.Join(filepath.Base(dir), rest)
	}
}

// pathTrail says, of entries asked about from the newest to the oldest, which
// changed a path. A path's earlier names count from the entry on that renamed
// it.
type pathTrail struct{ names []string }

// passes says whether an entry changed one of the paths, or one below.
func (t *pathTrail) passes(e *memory.Entry) bool {
	hit := false
	for _, c := range changesOf(e) {
		switch {
		case t.holds(c.Path):
			if hit = true; c.OldPath != "" && !t.holds(c.OldPath) {
				t.names = append(t.names, c.OldPath)
			}
		case c.OldPath != "" && t.holds(c.OldPath):
			hit = true
		case c.Status == memory.StatusFolder && t.inside(c.Path):
			hit = true // it is not known which of its paths changed
		}
	}
	return hit
}

// holds says whether path is one of the names, or below one.
func (t *pathTrail) holds(path string) bool {
	for _, name := range t.names {
		if name == "." || path == name || strings.HasPrefix(path, name+"/") {
			return true
		}
	}
	return false
}

// inside says whether one of the names is in a folder.
func (t *pathTrail) inside(folder string) bool {
	for _, name := range t.names {
		if strings.HasPrefix(name, strings.TrimSuffix(folder, "/")+"/") {
			return true
		}
	}
	return false
}

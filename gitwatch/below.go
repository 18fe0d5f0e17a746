package gitwatch

import (
	"path"
	"path/filepath"
	"strings"
)

// below gives the names a reported path may have in the work tree: as it was
// said, and with symlinked folders on the way resolved. One that is absolute
// may name the work tree by the caller's path or with symlinks resolved; a path
// outside it has none.
func (p *place) below(name string) []string {
	if name == "" {
		return nil
	}
	var names []string
	abs := name
	if !filepath.IsAbs(name) {
		abs = filepath.Join(p.top, name)
	}
	candidates := []string{filepath.Clean(abs)}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
		candidates = append(candidates, filepath.Join(dir, filepath.Base(abs)))
	}
	for _, c := range candidates {
		for _, root := range []string{p.top, p.given} {
			rel, err := filepath.Rel(root, c)
			if err != nil {
				continue
			}
			rel = path.Clean(filepath.ToSlash(rel))
			if rel != "." && rel != ".." && !strings.HasPrefix(rel, "../") {
				names = append(names, rel)
			}
		}
	}
	return names
}

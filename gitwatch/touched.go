package gitwatch

import (
	"path"
	"path/filepath"
	"strings"
)

// touched normalises the paths an agent reported to paths below the work
// tree. Absolute ones may name it by the caller's path or with symlinks
// resolved; paths outside it are left out.
func (r *Repo) touched(paths []string) map[string]bool {
	set := map[string]bool{}
	for _, p := range paths {
		if p == "" {
			continue
		}
		for _, rel := range r.below(p) {
			set[rel] = true
		}
	}
	return set
}

// below gives the names a reported path may have in the work tree: as it was
// said, and with symlinked folders on the way resolved.
func (r *Repo) below(p string) []string {
	var names []string
	abs := p
	if !filepath.IsAbs(p) {
		abs = filepath.Join(r.root, p)
	}
	candidates := []string{filepath.Clean(abs)}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
		candidates = append(candidates, filepath.Join(dir, filepath.Base(abs)))
	}
	for _, c := range candidates {
		for _, root := range []string{r.root, r.asked} {
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

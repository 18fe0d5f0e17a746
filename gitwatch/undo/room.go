package undo

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// checkRoom refuses paths that cannot stand where they did: a file now where
// one of their folders was, or a folder with other files in their place.
func (u *Plan) checkRoom() {
	goes := map[string]bool{}
	for _, p := range u.paths {
		goes[p.path] = p.works() && !p.work.Exists()
	}
	for _, p := range u.paths {
		if !p.works() || !p.work.Exists() {
			continue
		}
		if other := u.inTheWay(p.path, goes); other != "" {
			u.refuse(p.path, "there is "+other+" now")
		}
	}
}

// inTheWay names what keeps a file from being put at a path; goes are the
// paths that will be gone.
func (u *Plan) inTheWay(name string, goes map[string]bool) string {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if info, err := os.Lstat(u.full(dir)); err == nil && !info.IsDir() && !goes[dir] {
			return dir
		}
	}
	if info, err := os.Lstat(u.full(name)); err != nil || !info.IsDir() {
		return ""
	}
	found := ""
	_ = filepath.WalkDir(u.full(name), func(full string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(u.repo.Root(), full)
		rel = filepath.ToSlash(rel)
		if err == nil && relErr == nil && (d.IsDir() || goes[rel]) {
			return nil
		}
		found = rel
		return filepath.SkipAll
	})
	return found
}

func (u *Plan) full(name string) string {
	return filepath.Join(u.repo.Root(), filepath.FromSlash(name))
}

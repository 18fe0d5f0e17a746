package gitwatch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// untracked lists the files that are neither in the index nor ignored.
// Nested repositories are not entered.
func (s *scan) untracked(ctx context.Context) ([]string, error) {
	sets, err := s.repo.outerRules(s.set)
	if err != nil {
		return nil, err
	}
	w := walker{scan: s, tracked: s.index.names()}
	w.walk(ctx, "", sets)
	return w.found, ctx.Err()
}

type walker struct {
	*scan
	tracked map[string]indexName
	found   []string
}

// walk lists the folder named by prefix, "" or ending in '/'.
func (w *walker) walk(ctx context.Context, prefix string, sets []ruleSet) {
	if ctx.Err() != nil {
		return
	}
	entries, err := os.ReadDir(w.full(prefix))
	if err != nil {
		if !errors.Is(err, os.ErrNotExist) {
			w.problem(prefix, err)
		}
		return
	}
	if prefix != "" && hasRepository(w.full(prefix), entries) {
		return
	}
	if hasName(entries, ".gitignore") {
		set, err := readRules(filepath.Join(w.full(prefix), ".gitignore"), prefix)
		if err != nil {
			w.problem(prefix+".gitignore", err)
		}
		sets = append(slices.Clip(sets), set)
	}
	for _, e := range entries {
		path := prefix + e.Name()
		switch {
		case e.Name() == ".git" || isOwn(path):
		case e.IsDir():
			if !w.tracked[path].gitlink && !ignored(sets, path, true) {
				w.walk(ctx, path+"/", sets)
			}
		case w.tracked[path].known:
		case e.Type().IsRegular() || e.Type()&os.ModeSymlink != 0:
			if !ignored(sets, path, false) {
				w.found = append(w.found, path)
			}
		}
	}
}

// hasRepository says whether a folder is the top of another repository.
func hasRepository(dir string, entries []os.DirEntry) bool {
	for _, e := range entries {
		if e.Name() == ".git" {
			_, err := os.Lstat(filepath.Join(dir, ".git", "HEAD"))
			return err == nil || !e.IsDir()
		}
	}
	return false
}

func hasName(entries []os.DirEntry, name string) bool {
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == name })
}

// indexName says what the index knows of a path.
type indexName struct{ known, gitlink bool }

// names are all paths the index knows in any way.
func (x *gitIndex) names() map[string]indexName {
	names := make(map[string]indexName, len(x.entries)+len(x.added)+len(x.unmerged))
	for _, e := range x.entries {
		names[e.Name] = indexName{known: true, gitlink: uint32(e.Mode) == modeGitlink}
	}
	for _, e := range x.added {
		names[e.Name] = indexName{known: true}
	}
	for path := range x.unmerged {
		names[path] = indexName{known: true}
	}
	return names
}

// realDirs knows which folders of the work tree are folders and not links: a
// file behind a linked folder is not the tracked file of that path.
type realDirs struct {
	root  string
	mu    sync.RWMutex
	known map[string]bool
}

// real says whether all parents of path are real folders.
func (d *realDirs) real(path string) (bool, error) {
	for i := len(path) - 1; i > 0; i-- {
		if path[i] == '/' {
			return d.dir(path[:i])
		}
	}
	return true, nil
}

func (d *realDirs) dir(path string) (bool, error) {
	d.mu.RLock()
	real, known := d.known[path]
	d.mu.RUnlock()
	if known {
		return real, nil
	}
	real, err := d.real(path)
	if err != nil {
		return false, err
	}
	if real {
		info, err := os.Lstat(filepath.Join(d.root, filepath.FromSlash(path)))
		if err != nil && !errors.Is(err, os.ErrNotExist) && !isNotDir(err) {
			return false, err
		}
		real = err == nil && info.IsDir()
	}
	d.mu.Lock()
	d.known[path] = real
	d.mu.Unlock()
	return real, nil
}

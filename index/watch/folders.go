package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/fsnotify/fsnotify"
)

// folders keeps a notifier watching every folder below the roots, and the two
// nearest existing folders above each root. Those show when a root appears,
// disappears or is renamed with its parent.
type folders struct {
	n       *notifier
	roots   []string
	ignore  func(string) bool
	trouble func(string)

	below map[string]bool // watched for the files in them
	above map[string]bool // watched for the roots below them
}

// anchors limits the watched folders above a root.
const anchors = 2

// renew watches all existing folders again. Changes after it returns are seen.
func (f *folders) renew() error {
	for _, list := range []map[string]bool{f.below, f.above} {
		for path := range list {
			_ = f.n.remove(path) // it may have been deleted with its folder
		}
	}
	f.below, f.above = map[string]bool{}, map[string]bool{}
	for _, root := range f.roots {
		if err := f.plant(root); err != nil {
			return err
		}
	}
	return nil
}

// mostTries limits how often a root is looked up that other processes create
// and remove meanwhile. Changes after the last try are still seen.
const mostTries = 10

// plant watches one root and the folders above it.
func (f *folders) plant(root string) error {
	for range mostTries {
		nearest, err := f.anchor(root)
		if err != nil {
			return err
		}
		if _, err := f.walk(root); err != nil || f.below[root] {
			return err
		}
		if nearest == "" {
			return nil
		}
		if _, err := os.Lstat(step(nearest, root)); err != nil {
			return nil
		}
	}
	return nil
}

// step returns the folder one level below dir on the way to root.
func step(dir, root string) string {
	rest := strings.TrimPrefix(strings.TrimPrefix(root, dir), string(filepath.Separator))
	name, _, _ := strings.Cut(rest, string(filepath.Separator))
	return filepath.Join(dir, name)
}

// anchor watches the nearest folders above root and returns the nearest. It
// skips folders that cannot be watched, such as a /home without read
// permission.
func (f *folders) anchor(root string) (nearest string, err error) {
	found := 0
	for dir := filepath.Dir(root); ; dir = filepath.Dir(dir) {
		err := f.n.add(dir)
		if atLimit(err) {
			return "", fmt.Errorf("watching %s: %w", dir, err)
		}
		if err == nil {
			f.above[dir] = true
			if found++; found == 1 {
				nearest = dir
			}
		}
		if found == anchors || dir == filepath.Dir(dir) {
			return nearest, nil
		}
	}
}

// walk watches dir and the folders in it, and reports whether they contain
// Markdown. It reads a folder after it watches it, so that every file that
// appears in between is seen. The only error is a system without free watches.
func (f *folders) walk(dir string) (markdown bool, err error) {
	err = f.n.add(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		return false, nil
	case atLimit(err):
		return false, fmt.Errorf("watching %s: %w", dir, err)
	case err != nil:
		f.trouble(fmt.Sprintf("changes in %s are not seen: %v", dir, err))
		return false, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil && len(entries) == 0 {
		return false, f.unreadable(dir, err)
	}
	f.below[dir] = true
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if !e.IsDir() {
			markdown = markdown || isMarkdown(path)
			continue
		}
		if f.ignore(path) {
			continue
		}
		found, err := f.walk(path)
		if err != nil {
			return markdown, err
		}
		markdown = markdown || found
	}
	return markdown, nil
}

// unreadable stops watching a folder that was deleted after it was added, or
// that is a file.
func (f *folders) unreadable(dir string, why error) error {
	if atLimit(why) {
		return fmt.Errorf("watching %s: %w", dir, why)
	}
	if !f.above[dir] {
		_ = f.n.remove(dir)
	}
	return nil
}

// saw handles one event and reports whether Markdown may have changed.
func (f *folders) saw(ev fsnotify.Event) (wake bool, err error) {
	path := filepath.Clean(ev.Name)
	appeared, gone := ev.Has(fsnotify.Create), ev.Has(fsnotify.Remove) || ev.Has(fsnotify.Rename)
	switch {
	case f.leads(path):
		if appeared || gone || (ev.Has(fsnotify.Chmod) && !f.whole()) {
			return true, f.renew()
		}
		return false, nil
	case gone && f.below[path]:
		f.drop(path)
		return true, nil
	case !f.below[filepath.Dir(path)]:
		return false, nil
	case (appeared || ev.Has(fsnotify.Chmod)) && !f.below[path] && isFolder(path):
		if f.ignore(path) {
			return false, nil
		}
		return f.walk(path)
	}
	return isMarkdown(path), nil
}

// leads reports whether path is a root or above one.
func (f *folders) leads(path string) bool {
	for _, root := range f.roots {
		if root == path || strings.HasPrefix(root, path+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// whole reports whether all roots exist and are watched.
func (f *folders) whole() bool {
	return !slices.ContainsFunc(f.roots, func(root string) bool { return !f.below[root] })
}

// drop stops watching a folder that was deleted or renamed, and the folders
// below it: their events would have the old name.
func (f *folders) drop(dir string) {
	for path := range f.below {
		if path == dir || strings.HasPrefix(path, dir+string(filepath.Separator)) {
			delete(f.below, path)
			_ = f.n.remove(path) // it may have been deleted already
		}
	}
}

func isFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

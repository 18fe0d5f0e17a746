package attribution

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/internal/testing/gittest"
)

// world is a copy of a work tree, with ignored files, and of git's index and
// commits.
type world struct {
	files map[string]copied // by path
	head  string            // what HEAD holds
	refs  map[string]string // full ids, by full name
	index map[string]string // "MODE ID STAGE" lines, by path
	raw   string            // the index as it is on disk
}

// copied is a file as it was: "MODE contents" and its ctime.
type copied struct {
	text string
	at   time.Time
}

// copyWorld copies the present state. It reads the index again only if it
// differs from the last copy's.
func (s *scenario) copyWorld(last *world) *world {
	s.t.Helper()
	w := &world{files: map[string]copied{}, refs: map[string]string{}}
	gittest.Must(s.t, filepath.WalkDir(s.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == ".git" {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if !d.IsDir() {
			rel, _ := filepath.Rel(s.dir, name)
			w.files[filepath.ToSlash(rel)] = s.copyFile(name)
		}
		return nil
	}))
	w.head = s.slurp(filepath.Join(s.gitDir, "HEAD"))
	refs := filepath.Join(s.commonDir, "refs")
	gittest.Must(s.t, filepath.WalkDir(refs, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(s.commonDir, name)
			w.refs[filepath.ToSlash(rel)] = strings.TrimSpace(s.slurp(name))
		}
		return err
	}))
	w.raw = s.slurp(filepath.Join(s.gitDir, "index"))
	if last != nil && last.raw == w.raw {
		w.index = last.index
		return w
	}
	w.index = map[string]string{}
	for line := range strings.SplitSeq(s.git("ls-files", "--stage", "-z"), "\x00") {
		if head, path, ok := strings.Cut(line, "\t"); ok {
			w.index[path] += head + "\n"
		}
	}
	return w
}

func (s *scenario) copyFile(name string) copied {
	info, err := os.Lstat(name)
	gittest.Must(s.t, err)
	if info.Mode()&os.ModeSymlink != 0 {
		target, err := os.Readlink(name)
		gittest.Must(s.t, err)
		return copied{fmt.Sprintf("%v %s", os.ModeSymlink, target), changedAt(s.t, info)}
	}
	return copied{fmt.Sprintf("%v %s", info.Mode(), s.slurp(name)), changedAt(s.t, info)}
}

func (s *scenario) slurp(name string) string {
	data, err := os.ReadFile(name)
	gittest.Must(s.t, err)
	return string(data)
}

// at returns the commit that is checked out, or "" when there is none.
func (w *world) at() string {
	head := strings.TrimSpace(w.head)
	if ref, symbolic := strings.CutPrefix(head, "ref: "); symbolic {
		return w.refs[ref]
	}
	return head
}

// tips returns the commits of HEAD and the branches.
func (w *world) tips() []string {
	tips := map[string]bool{}
	if at := w.at(); at != "" {
		tips[at] = true
	}
	for name, id := range w.refs {
		if strings.HasPrefix(name, "refs/heads/") {
			tips[id] = true
		}
	}
	return slices.Sorted(maps.Keys(tips))
}

// eitherKey returns the keys that occur in at least one of two maps.
func eitherKey[V any](a, b map[string]V) []string {
	all := map[string]bool{}
	for key := range a {
		all[key] = true
	}
	for key := range b {
		all[key] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// changed returns the paths that differ between two copies.
func (w *world) changed(later *world) []string {
	var out []string
	for _, path := range eitherKey(w.files, later.files) {
		if w.files[path].text != later.files[path].text {
			out = append(out, path)
		}
	}
	return out
}

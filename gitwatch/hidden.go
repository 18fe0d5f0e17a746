package gitwatch

import (
	"slices"
	"strings"
	"time"

	"agentflow/gitwatch/internal/git"
)

// hiddenPaths are the names in a work tree that git does not look at, sorted:
// what it ignores, nested repositories and submodules. A folder, which stands
// for all below it, ends in '/'; the empty name stands for everything.
//
// A run that empties .gitignore, or removes the .git of a nested repository,
// makes files appear that were there before: they must not pass for new ones.
type hiddenPaths []git.Name

// maxHidden is how many names a snapshot keeps.
const maxHidden = 20_000

// hiddenOf sorts names. Where there are too many, their folders stand for the
// files, and at last the work tree for the folders.
func hiddenOf(names []string) hiddenPaths {
	if len(names) > maxHidden {
		for i, name := range names {
			names[i] = name[:strings.LastIndexByte(name, '/')+1]
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) > maxHidden {
		names = []string{""}
	}
	out := make(hiddenPaths, len(names))
	for i, name := range names {
		out[i] = git.Name(name)
	}
	return out
}

// holds says whether a path that is not tracked may have stood there unseen.
func (h hiddenPaths) holds(path string) bool {
	if len(h) == 0 {
		return false
	}
	for i := range len(path) {
		if path[i] == '/' && h.has(path[:i+1]) {
			return true
		}
	}
	return h.has(path) || h.has("")
}

func (h hiddenPaths) has(name string) bool {
	_, found := slices.BinarySearch(h, git.Name(name))
	return found
}

// clockGrain is how far a file system's clock may be behind the system's: a
// tick of the kernel's timer.
const clockGrain = 20 * time.Millisecond

// unchangedSince says whether a file's contents, mode and name are older than a
// moment. Where there is no ctime nothing is known to be.
func (s fileStat) unchangedSince(moment int64) bool {
	changed := s.ctime.nanos()
	if s.ctime.nsec == 0 {
		changed += int64(granule) // the file system may keep no more than seconds
	}
	return s.ctime != stamp{} && changed < moment-int64(clockGrain)
}

// reveal tells of the paths that came to light since the start what stood there
// then, as if the start had looked: files that have not changed since hold what
// they held; of others that is not known.
func (c *comparison) reveal() error {
	startTree, err := c.objects.treeOf(c.start.head())
	if err != nil {
		return err
	}
	endTree, err := c.objects.treeOf(c.end.head())
	if err != nil {
		return err
	}
	paths := map[string]bool{}
	for _, d := range c.end.Dirty {
		paths[string(d.Path)] = true
	}
	for path := range c.touched {
		paths[path] = true
	}
	for path := range paths {
		if _, known := c.start.dirty[path]; known || !c.start.Hidden.holds(path) {
			continue
		}
		if head, err := c.objects.lookup(startTree, path); err != nil || head.exists() {
			if err != nil {
				return err
			}
			continue
		}
		was, err := c.unseen(endTree, path)
		if err != nil {
			return err
		}
		c.start.dirty[path] = dirtyFile{Path: git.Name(path), Now: was}
	}
	return nil
}

// unseen is what stood at a path that the start did not look at.
func (c *comparison) unseen(endTree git.ID, path string) (file, error) {
	unknown := file{Mode: git.ModeFile, Unknown: true}
	now, st, err := c.repo.onDisk(path)
	if err != nil || !st.unchangedSince(c.start.Began) {
		return unknown, nil //nolint:nilerr // what cannot be looked at is not known
	}
	if d, dirty := c.end.dirty[path]; dirty {
		return d.Now, nil
	}
	head, err := c.objects.lookup(endTree, path)
	if head.exists() {
		return head, err // as it stands there, or it would be among the changed
	}
	return now, err
}

// onDisk reads what stands at a path of the work tree, tracked or not; the zero
// file where nothing does.
func (r *Repo) onDisk(path string) (file, fileStat, error) {
	set, err := r.settings()
	if err != nil {
		return file{}, fileStat{}, err
	}
	dirs := &realDirs{root: r.root, known: map[string]bool{"": true}}
	w, err := r.fileNow(dirs, set, path, 0)
	if err != nil || !w.Exists() {
		return file{}, fileStat{}, err
	}
	return file{Mode: w.Mode, Hash: w.Raw, Raw: w.Raw, Size: w.Size, MTime: w.MTime, disk: true}, statOf(w.Info), nil
}

// hide notes a name that git does not look at.
func (s *scan) hide(name string) {
	s.mu.Lock()
	s.hidden = append(s.hidden, name)
	s.mu.Unlock()
}

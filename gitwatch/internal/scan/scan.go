// Package scan compares a work tree with HEAD: it finds the files that differ, those that git does
// not look at, and those that could not be read, as git status does.
//
// Guarantees: it follows no link out of the work tree, opens only regular files, and trusts a stat
// only if any change would have altered it.
package scan

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/gitindex"
	"agentflow/gitwatch/internal/objects"
	"agentflow/gitwatch/internal/repo"
	"agentflow/gitwatch/internal/rules"
)

// hashBudget limits a scan's bytes of untracked files. Beyond it, size and time
// represent the contents.
const hashBudget = 512 << 20

// scan compares a work tree with HEAD's tree: folder by folder by stat, then by content if the stat
// does not prove a file unchanged.
type scan struct {
	WorkTree   *WorkTree
	set        repo.Settings
	index      *gitindex.Index
	written    time.Time           // when the index was written, for the racy rule
	monitored  *gitindex.Monitored // the entries that git's daemon knows to be unchanged; nil if nothing is known
	attrs      *rules.Attributes
	ignores    *rules.Ignores
	headOf     map[string]objects.File // HEAD's files at the paths where the index differs from it
	tree       *workDir
	top        Stat
	trusts     bool // a folder's times change when its names do
	budget     atomic.Int64
	before     *edits.Copies
	remembered *remembered
	newlySeen  newlySeen
	reading    chan struct{} // bounds the contents that are in memory at a time

	mu       sync.Mutex
	dirty    []objects.DirtyFile          // each path once
	pending  map[string]objects.DirtyFile // to be hashed by git, which converts them
	problems UnreadPaths
	hidden   []string
	sizes    []DiskSize
}

// found is the result of a comparison.
type found struct {
	Dirty   []objects.DirtyFile // files with contents other than in the tree
	Unread  UnreadPaths
	Hidden  []string // names that git does not look at
	NoModes bool     // core.fileMode is off
	Sizes   []DiskSize
}

// Scan compares the work tree with a tree. The error means that nothing could be read. Contents of
// dirty files that are read on the way are put into before, unless that is nil.
func (w *WorkTree) Scan(ctx context.Context, o *objects.Reader, tree git.ID, before *edits.Copies) (found, error) {
	s, whole, err := w.newScan(ctx)
	if err != nil {
		return found{}, err
	}
	defer s.tree.end()
	s.before = before
	if s.headOf, err = s.index.DifferingFrom(ctx, o, tree); err != nil {
		return found{}, err
	}
	rest, err := s.unindexed(o, tree, s.visit(ctx))
	if err != nil {
		return found{}, err
	}
	Each(ctx, len(rest), func(i int) { s.compareUnindexed(ctx, rest[i]) })
	s.WorkTree.convert(ctx, s.pending, s.addDirty, s.addUnread)
	if err := errors.Join(<-whole, ctx.Err()); err != nil {
		return found{}, err
	}
	seen := s.newlySeen.remembered // a copy, because the rest of the scan is no longer needed
	w.last.Store(&seen)
	return found{s.dirty, s.problems, s.hidden, !s.set.FileMode, s.sizes}, nil
}

func (w *WorkTree) newScan(ctx context.Context) (*scan, <-chan error, error) {
	s := &scan{WorkTree: w, remembered: w.lastLook(), pending: map[string]objects.DirtyFile{}, reading: make(chan struct{}, runtime.GOMAXPROCS(0))}
	s.newlySeen.began = w.Now()
	var err error
	if s.set, err = w.Settings(); err != nil {
		return nil, nil, err
	}
	if s.attrs, err = rules.ReadAttributes(w.Top, s.set.Autocrlf, "/etc/gitattributes", s.set.AttributesFile, filepath.Join(w.CommonDir, "info", "attributes")); err != nil {
		return nil, nil, fmt.Errorf("read git attributes: %w", err)
	}
	if s.ignores, err = rules.ReadIgnores(w.Top, s.set.ExcludesFile, filepath.Join(w.CommonDir, "info", "exclude")); err != nil {
		return nil, nil, fmt.Errorf("read git's ignore rules: %w", err)
	}
	var whole <-chan error
	if s.index, s.written, whole, err = gitindex.Read(ctx, w.Place, s.remembered.index); err != nil {
		return nil, nil, err
	}
	s.monitored = s.askMonitor(ctx)
	s.newlySeen.remembered = remembered{index: s.index, folders: make(map[string]rememberedFolder, len(s.index.Folders)), files: map[string]rememberedFile{}}
	s.tree = &workDir{root: w.Top, dirs: newRealDirs(w.Top)}
	s.trusts = keepsTimes(w.Top)
	info, err := os.Lstat(w.Top)
	if err != nil {
		return nil, nil, err
	}
	s.top = statOf(info)
	s.budget.Store(hashBudget)
	return s, whole, s.tree.begin()
}

// Each runs do for 0…n-1 on as many goroutines as can run at a time, until ctx ends.
func Each(ctx context.Context, n int, do func(int)) { each(ctx, runtime.GOMAXPROCS(0), n, do) }

// each is Each on a number of goroutines.
func each(ctx context.Context, workers, n int, do func(int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	var broke atomic.Pointer[error]
	for range min(workers, n) {
		wg.Go(func() {
			defer func() {
				if err := git.Panic(recover()); err != nil {
					broke.Store(&err)
				}
			}()
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				do(i)
			}
		})
	}
	wg.Wait()
	if err := broke.Load(); err != nil {
		panic(*err) // the exported function catches it
	}
}

// locked changes the state that the goroutines of a scan share.
func (s *scan) locked(change func()) {
	s.mu.Lock()
	change()
	s.mu.Unlock()
}

// addDirty adds d if it differs from HEAD.
func (s *scan) addDirty(d objects.DirtyFile) {
	if d.Now.Same(d.Head) && !d.Unmerged {
		return
	}
	s.locked(func() { s.dirty = append(s.dirty, d) })
}

func (s *scan) addUnread(path string, err error) {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return
	}
	problem := unreadPath{git.Name(path), git.OneLine(git.WithoutPath(err).Error())}
	s.locked(func() { s.problems = append(s.problems, problem) })
}

// unindexedPath is a path without a merged index entry.
type unindexedPath struct {
	path      string
	head      objects.File
	stat      Stat // of an untracked file, which was already examined
	unmerged  bool
	untracked bool
}

// unindexed lists the paths without a merged entry: untracked files, names added without
// content, unmerged paths, and paths that only HEAD has.
func (s *scan) unindexed(o *objects.Reader, tree git.ID, untracked []unindexedPath) ([]unindexedPath, error) {
	listed := map[string]bool{} // paths that may occur twice
	out := untracked
	for i := range out {
		if head, differs := s.headOf[out[i].path]; differs {
			out[i].head, listed[out[i].path] = head, true
		}
	}
	add := func(p unindexedPath) {
		if !listed[p.path] && !git.InOwnFolder(p.path) {
			listed[p.path] = true
			out = append(out, p)
		}
	}
	for _, e := range s.index.Unmerged {
		switch {
		case e.Stage() == 0:
			add(unindexedPath{path: e.Name, head: s.headOf[e.Name]})
		case !listed[e.Name]:
			head, err := o.Lookup(tree, e.Name)
			if err != nil {
				return nil, err
			}
			add(unindexedPath{path: e.Name, head: head, unmerged: true})
		}
	}
	for path, head := range s.headOf {
		if head.Exists() && !s.compared(path) {
			add(unindexedPath{path: path, head: head})
		}
	}
	return out, nil
}

// compared reports whether a path was compared as a merged entry.
func (s *scan) compared(path string) bool {
	e := s.index.Find(path, s.index.Folders[0])
	return e != nil && e.Merged()
}

func (s *scan) compareUnindexed(ctx context.Context, p unindexedPath) {
	st, err := p.stat, error(nil)
	if !p.untracked {
		st, err = s.lstat(p.path)
	}
	if err != nil {
		s.addUnread(p.path, err)
		return
	}
	d := objects.DirtyFile{Path: git.Name(p.path), Head: p.head, Unmerged: p.unmerged}
	if !st.there || st.kind == kindFolder {
		d.Now = s.WorkTree.LeftSubmodule(ctx, p.path, p.head)
		s.addDirty(d)
		return
	}
	if p.untracked && s.budget.Add(-min(st.size, git.MaxRead)) < 0 {
		d.Now = s.statOnly(st, 0)
		s.addDirty(d)
		return
	}
	s.compareContent(ctx, d, st, nil)
}

// lstat examines a path without following links, including those of its parents.
func (s *scan) lstat(path string) (Stat, error) {
	if real, err := s.tree.dirs.parentsAreReal(path); err != nil || !real {
		return Stat{}, err
	}
	return statPath(s.WorkTree.Full(path))
}

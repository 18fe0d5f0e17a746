package gitwatch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/go-git/go-git/v5/plumbing/format/index"
)

// ownFolder is AgentFlow's folder in a work tree; it is never listed.
const ownFolder = ".agentflow"

func isOwn(path string) bool {
	return path == ownFolder || strings.HasPrefix(path, ownFolder+"/")
}

// hashBudget is how many bytes of untracked files one scan reads; beyond it,
// size and time stand for the contents.
const hashBudget = 512 << 20

// scan compares a work tree with HEAD's tree.
type scan struct {
	repo   *Repo
	set    settings
	index  *gitIndex
	attrs  *attributes
	headOf map[string]file // what HEAD holds where the index differs from it
	dirs   *realDirs
	budget atomic.Int64

	mu       sync.Mutex
	dirty    map[string]dirtyFile
	pending  map[string]dirtyFile // to be hashed by git, which converts them
	problems []string
}

// scanTree lists the paths whose content differs from that of a tree. The
// problems are what could not be read; the error says that nothing could.
func (r *Repo) scanTree(ctx context.Context, o *objects, tree oid) (map[string]dirtyFile, []string, error) {
	s, err := r.newScan()
	if err != nil {
		return nil, nil, err
	}
	untracked := make(chan error, 1)
	var found []string
	go func() {
		var err error
		found, err = s.untracked(ctx)
		untracked <- err
	}()
	s.headOf, err = s.index.headDiff(o, tree)
	if err == nil {
		s.each(ctx, len(s.index.entries), func(i int) { s.tracked(ctx, s.index.entries[i]) })
	}
	if err := errors.Join(err, <-untracked); err != nil {
		return nil, nil, err
	}
	rest, err := s.rest(o, tree, found)
	if err != nil {
		return nil, nil, err
	}
	s.each(ctx, len(rest), func(i int) { s.other(ctx, rest[i]) })
	s.convertPending(ctx)
	return s.dirty, s.problems, ctx.Err()
}

func (r *Repo) newScan() (*scan, error) {
	s := &scan{repo: r, dirty: map[string]dirtyFile{}, pending: map[string]dirtyFile{}}
	var err error
	if s.set, err = r.settings(); err != nil {
		return nil, err
	}
	if s.attrs, err = r.attributes(s.set); err != nil {
		return nil, fmt.Errorf("read git attributes: %w", err)
	}
	if s.index, err = r.readIndex(); err != nil {
		return nil, err
	}
	s.dirs = &realDirs{root: r.root, known: map[string]bool{"": true}}
	s.budget.Store(hashBudget)
	return s, nil
}

// each runs do for 0…n-1 on several goroutines, in runs of neighbours, until
// ctx ends.
func (s *scan) each(ctx context.Context, n int, do func(int)) {
	const run = 128
	workers := min(2*runtime.GOMAXPROCS(0), (n+run-1)/run)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for ctx.Err() == nil {
				end := int(next.Add(run))
				for i := end - run; i < min(end, n); i++ {
					do(i)
				}
				if end >= n {
					return
				}
			}
		})
	}
	wg.Wait()
}

// tracked compares one index entry.
func (s *scan) tracked(ctx context.Context, e *index.Entry) {
	if isOwn(e.Name) {
		return
	}
	inIndex := file{Mode: uint32(e.Mode), Hash: e.Hash.String()}
	head, differs := s.headOf[e.Name]
	if !differs {
		head = inIndex
	}
	info, err := s.lstat(e.Name)
	if err != nil {
		s.problem(e.Name, err)
		return
	}
	d := dirtyFile{Path: rawName(e.Name), Head: head}
	switch {
	case info == nil && e.SkipWorktree:
		d.Now = inIndex
	case uint32(e.Mode) == modeGitlink:
		d.Now = s.submodule(ctx, e, info)
	case info != nil && s.statClean(info, e):
		if !differs {
			return
		}
		d.Now = inIndex
		d.Now.Size, d.Now.MTime, d.Now.disk = info.Size(), info.ModTime().UnixNano(), true
	case info != nil:
		s.content(ctx, d, info, e)
		return
	}
	s.put(d)
}

// otherPath is a path beside the merged index entries.
type otherPath struct {
	path      string
	head      file
	unmerged  bool
	untracked bool
}

// rest lists what the index entries do not cover: untracked files, names
// added without content, unmerged paths, and paths only HEAD has.
func (s *scan) rest(o *objects, tree oid, untracked []string) ([]otherPath, error) {
	seen := map[string]bool{}
	var out []otherPath
	add := func(p otherPath) {
		if !seen[p.path] && !isOwn(p.path) {
			seen[p.path] = true
			out = append(out, p)
		}
	}
	for path := range s.index.unmerged {
		head, err := o.lookup(tree, path)
		if err != nil {
			return nil, err
		}
		add(otherPath{path: path, head: head, unmerged: true})
	}
	for _, path := range untracked {
		add(otherPath{path: path, head: s.headOf[path], untracked: true})
	}
	for _, e := range s.index.added {
		add(otherPath{path: e.Name, head: s.headOf[e.Name]})
	}
	for path, head := range s.headOf {
		if head.exists() && !s.index.has(path) {
			add(otherPath{path: path, head: head})
		}
	}
	return out, nil
}

func (s *scan) other(ctx context.Context, p otherPath) {
	info, err := s.lstat(p.path)
	if err != nil {
		s.problem(p.path, err)
		return
	}
	d := dirtyFile{Path: rawName(p.path), Head: p.head, Unmerged: p.unmerged}
	if info == nil || info.IsDir() {
		s.put(d)
		return
	}
	if p.untracked && s.budget.Add(-min(info.Size(), maxRead)) < 0 {
		d.Now = s.statOnly(info, nil)
		s.put(d)
		return
	}
	s.content(ctx, d, info, nil)
}

// put keeps d if it differs from HEAD.
func (s *scan) put(d dirtyFile) {
	if d.Now.same(d.Head) && !d.Unmerged {
		return
	}
	s.mu.Lock()
	s.dirty[string(d.Path)] = d
	s.mu.Unlock()
}

func (s *scan) problem(path string, err error) {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return
	}
	s.mu.Lock()
	s.problems = append(s.problems, oneLine(fmt.Sprintf("%s: %v", path, rootless(err))))
	s.mu.Unlock()
}

// rootless takes the path out of a file error: the caller names it.
func rootless(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return fmt.Errorf("%s: %w", pe.Op, pe.Err)
	}
	return err
}

// lstat looks at a path without following links, its parents included; nil
// says that it is not there.
func (s *scan) lstat(path string) (os.FileInfo, error) {
	real, err := s.dirs.real(path)
	if err != nil || !real {
		return nil, err
	}
	info, err := os.Lstat(s.full(path))
	if errors.Is(err, os.ErrNotExist) || isNotDir(err) {
		return nil, nil
	}
	return info, err
}

func (s *scan) full(path string) string {
	return filepath.Join(s.repo.root, filepath.FromSlash(path))
}

// has says whether the index names a path at stage 0.
func (x *gitIndex) has(path string) bool {
	i := sort.Search(len(x.entries), func(i int) bool { return x.entries[i].Name >= path })
	return i < len(x.entries) && x.entries[i].Name == path
}

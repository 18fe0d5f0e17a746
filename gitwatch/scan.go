package gitwatch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/internal/git"
)

// isOwn says whether a path is AgentFlow's folder in a work tree, or in it;
// such are never listed.
func isOwn(path string) bool {
	const own = ".agentflow"
	return strings.HasPrefix(path, own) && (len(path) == len(own) || path[len(own)] == '/')
}

// hashBudget is how many bytes of untracked files one scan reads; beyond it,
// size and time stand for the contents.
const hashBudget = 512 << 20

// scan compares a work tree with HEAD's tree: folder by folder by stat, then
// by content what the stat does not vouch for.
type scan struct {
	*workTree
	set     settings
	index   *gitIndex
	written time.Time // when the index was, for the racy rule
	attrs   *attributes
	ignores *ignores
	headOf  map[string]file // what HEAD holds where the index differs from it
	tree    *workDir
	top     fileStat
	trusts  bool // that a folder's times move when its names do
	budget  atomic.Int64
	before  *edits.Copies
	known   *known
	learned learned

	mu       sync.Mutex
	dirty    []dirtyFile          // each path once
	pending  map[string]dirtyFile // to be hashed by git, which converts them
	problems unreadPaths
	hidden   []string
	sizes    []diskSize
}

// found is what a look at a work tree finds: paths whose content differs from
// that of a tree, what could not be read, and the names git does not look at.
type found struct {
	dirty  []dirtyFile
	unread unreadPaths
	hidden []string
	// noModes: core.fileMode is off.
	noModes bool
	sizes   []diskSize
}

// scan compares the work tree with a tree. The error says that nothing
// could be read. Contents of those that are read on the way are put into before,
// if it is not nil.
func (w *workTree) scan(ctx context.Context, o *objects, tree git.ID, before *edits.Copies) (found, error) {
	s, whole, err := w.newScan(ctx)
	if err != nil {
		return found{}, err
	}
	defer s.tree.end()
	s.before = before
	if s.headOf, err = s.index.headDiff(ctx, o, tree); err != nil {
		return found{}, err
	}
	rest, err := s.rest(o, tree, s.visit(ctx))
	if err != nil {
		return found{}, err
	}
	each(ctx, len(rest), func(i int) { s.other(ctx, rest[i]) })
	s.convert(ctx, s.pending, s.put, s.problem)
	if err := errors.Join(<-whole, ctx.Err()); err != nil {
		return found{}, err
	}
	w.remember(s.learned.all())
	return found{s.dirty, s.problems, s.hidden, !s.set.fileMode, s.sizes}, nil
}

func (w *workTree) newScan(ctx context.Context) (*scan, <-chan error, error) {
	s := &scan{workTree: w, known: w.lastKnown(), pending: map[string]dirtyFile{}}
	s.learned.began = w.now()
	var err error
	if s.set, err = w.settings(); err != nil {
		return nil, nil, err
	}
	if s.attrs, err = newAttributes(w.place, s.set); err != nil {
		return nil, nil, fmt.Errorf("read git attributes: %w", err)
	}
	if s.ignores, err = newIgnores(w.place, s.set); err != nil {
		return nil, nil, fmt.Errorf("read git's ignore rules: %w", err)
	}
	var whole <-chan error
	if s.index, s.written, whole, err = readIndex(ctx, w.place, s.known.index); err != nil {
		return nil, nil, err
	}
	s.learned.known = known{index: s.index, folders: make(map[string]knownFolder, len(s.index.folders))}
	s.tree = &workDir{root: w.top, dirs: &realDirs{top: w.top, known: map[string]bool{"": true}}}
	s.trusts = keepsTimes(w.top)
	info, err := os.Lstat(w.top)
	if err != nil {
		return nil, nil, err
	}
	s.top = statOf(info)
	s.budget.Store(hashBudget)
	return s, whole, s.tree.begin()
}

// each runs do for 0…n-1 on as many goroutines as may run at a time, until
// ctx ends.
func each(ctx context.Context, n int, do func(int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	var broke atomic.Pointer[error]
	for range min(runtime.GOMAXPROCS(0), n) {
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
		panic(*err) // where the caller's door catches it
	}
}

// put keeps d if it differs from HEAD.
func (s *scan) put(d dirtyFile) {
	if d.Now.same(d.Head) && !d.Unmerged {
		return
	}
	s.mu.Lock()
	s.dirty = append(s.dirty, d)
	s.mu.Unlock()
}

func (s *scan) problem(path string, err error) {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return
	}
	s.mu.Lock()
	s.problems = append(s.problems, newUnread(path, err))
	s.mu.Unlock()
}

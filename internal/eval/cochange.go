// Package eval measures recall: how well memory, indexed and ranked as in production, points at
// the right files and answers.
//
// There are two measures. Cochange replays a git history: memory grows commit by commit, each
// subject is a query like a task, and the right answer is the set of files that the commit
// touched. Queries asks questions with known answers, and questions without an answer.
//
// The measures use the product's rendering, chunking, index and ranking, through the interface
// Index. Figures depend only on the input and the index: not on a clock, on randomness, or on
// the order of goroutines.
package eval

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"agentflow/memory"
	"agentflow/memory/retrieval"
)

// unasked counts the commits at the start of a history that are stored without a query:
// with a nearly empty memory, a query measures nothing.
const unasked = 100

// depth limits the entries of a ranking that count. A later one would add less than 0.001
// to the reciprocal rank.
const depth = 1000

// CochangeOptions choose the questions. Open must be set.
type CochangeOptions struct {
	Open Opener
	Last int // number of the newest commits to query; 0 means 300
	K    int // number of entries that count as read; 0 means 3
	// Parallel is the number of histories that are replayed at once; 0 means 1.
	Parallel int
	// Progress is called, from several goroutines, after each of all queried commits. It may be
	// nil.
	Progress func(done, all int)
	// Asked is called after each search with the targets, and with all paths that the commit
	// touched. For one history the calls are sequential. It may be nil.
	Asked func(history string, targets map[string]bool, paths []string)
}

func (o CochangeOptions) withDefaults() CochangeOptions {
	if o.Last <= 0 {
		o.Last = 300
	}
	if o.K <= 0 {
		o.K = 3
	}
	o.Parallel = max(o.Parallel, 1)
	if o.Progress == nil {
		o.Progress = func(int, int) {}
	}
	if o.Asked == nil {
		o.Asked = func(string, map[string]bool, []string) {}
	}
	return o
}

// ErrTooShort rejects a history with too few commits for a measurement.
var ErrTooShort = fmt.Errorf("nothing to measure: it takes more than %d commits that touch 1 to %d files", unasked, MaxFiles)

// Cochange replays histories and returns the figures of each, in order. For each of the last
// commits of a history, but none of its first hundred, memory holds exactly one entry for every
// earlier commit. The commit's subject is the query, its time is now, and the gate is open.
//
// Targets are the paths that the commit touched (both paths of a rename), except those that
// more than a tenth of all earlier commits touched, and those that none touched. A commit
// without a target is skipped. The list of likely files is measured without those that more than
// a tenth of the commits touched, too.
func Cochange(ctx context.Context, histories []History, o CochangeOptions) ([]CochangeFigures, error) {
	o = o.withDefaults()
	all := 0
	for _, h := range histories {
		if len(h.Commits) <= unasked {
			return nil, fmt.Errorf("measuring %s: %w; it has %d", h.Name, ErrTooShort, len(h.Commits))
		}
		all += len(h.Commits) - o.firstAsked(h)
	}
	out := make([]CochangeFigures, len(histories))
	failed := make([]error, len(histories))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	tick := ticker(all, o.Progress)
	var wg sync.WaitGroup
	free := make(chan struct{}, o.Parallel)
	for i, h := range histories {
		free <- struct{}{}
		wg.Go(func() {
			defer func() { <-free }()
			if out[i], failed[i] = replay(ctx, h, o, tick); failed[i] != nil {
				failed[i] = fmt.Errorf("measuring %s: %w", h.Name, failed[i])
				cancel()
			}
		})
	}
	wg.Wait()
	return out, errors.Join(failed...)
}

func (o CochangeOptions) firstAsked(h History) int { return max(unasked, len(h.Commits)-o.Last) }

func ticker(all int, progress func(done, all int)) func() {
	var mu sync.Mutex
	done := 0
	return func() {
		mu.Lock()
		defer mu.Unlock()
		done++
		progress(done, all)
	}
}

// replay measures one history in a temporary folder.
func replay(ctx context.Context, h History, o CochangeOptions, tick func()) (f CochangeFigures, err error) {
	dir, err := os.MkdirTemp("", "agentflow-eval-")
	if err != nil {
		return f, fmt.Errorf("making a folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	index, err := o.Open(ctx, dir, h.Name)
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	r := replayer{o: o, index: index, diary: diary{dir}, counts: pathCounts{seen: map[string]int{}}, paths: map[string][]string{}, tree: tree{}}
	return r.run(ctx, h, tick)
}

type replayer struct {
	o      CochangeOptions
	index  Index
	diary  diary
	counts pathCounts
	paths  map[string][]string // by the id of an entry
	tree   tree
}

func (r *replayer) run(ctx context.Context, h History, tick func()) (CochangeFigures, error) {
	first := r.o.firstAsked(h)
	if err := r.remember(h.Commits[:first]); err != nil {
		return CochangeFigures{}, err
	}
	var scores []CochangeFigures
	var shown shown
	for i := first; i < len(h.Commits); i++ {
		c := &h.Commits[i]
		if targets := r.counts.targets(c.paths()); len(targets) > 0 {
			ranking, files, err := r.ask(ctx, c)
			if err != nil {
				return CochangeFigures{}, err
			}
			r.o.Asked(h.Name, targets, c.paths())
			f := scoreCochange(ranking, targets, r.counts.common, r.o.K)
			f.Files = scoreList(files, targets)
			shown.add(files, targets)
			scores = append(scores, f)
		}
		if err := r.remember(h.Commits[i : i+1]); err != nil {
			return CochangeFigures{}, err
		}
		tick()
	}
	f := MeanCochange(scores)
	shown.figures(&f.Files)
	return f, nil
}

func (r *replayer) remember(commits []Commit) error {
	entries := make([]memory.Entry, len(commits))
	for i := range commits {
		c := &commits[i]
		e, err := c.entry(r.counts.commits)
		if err != nil {
			return err
		}
		entries[i] = e
		r.paths[e.ID] = c.paths()
		r.counts.add(r.paths[e.ID])
		r.tree.apply(c.Files)
	}
	return r.diary.append(entries...)
}

// ask returns the paths of the entries found for the commit, and the files that it would
// probably touch, best first.
func (r *replayer) ask(ctx context.Context, c *Commit) (ranking [][]string, files []retrieval.LikelyFile, err error) {
	if err := r.index.Sync(ctx, c.ID); err != nil {
		return nil, nil, err
	}
	hits, files, err := r.index.Search(ctx, retrieval.Query{Text: c.Subject, Now: c.Time, Limit: min(depth, r.counts.commits), Exists: r.tree.holds,
		Task: true, Files: 2 * listed})
	if err != nil {
		return nil, nil, err
	}
	files = slices.DeleteFunc(files, func(f retrieval.LikelyFile) bool { return r.counts.common(f.Path) })
	files = files[:min(len(files), listed)]
	ranking = make([][]string, len(hits))
	for i, h := range hits {
		ranking[i] = r.paths[h.EntryID]
	}
	return ranking, files, nil
}

// Index is the measured index, over the Markdown of one folder.
type Index interface {
	// Sync indexes the changes in the folder, and the contents of files before a commit; an
	// empty commit means no contents. It returns an error if a change could not be indexed,
	// because a figure over half a memory would be useless.
	Sync(ctx context.Context, before string) error
	// Search returns the hits and at most q.Files likely files, best first.
	Search(ctx context.Context, q retrieval.Query) (hits []retrieval.Hit, files []retrieval.LikelyFile, err error)
	Close() error
}

// Opener opens an index over the Markdown in dir, for the history with that name, which is
// empty for questions. It is called from several goroutines, each with a separate folder.
type Opener func(ctx context.Context, dir, history string) (Index, error)

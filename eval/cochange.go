// Package eval measures recall: how well memory, indexed and ranked as in use,
// points at the right files and answers.
//
// Two measures. Cochange replays a git history: memory grows commit by
// commit, each subject is asked for as if it were a task, and the right answer is
// the files that the commit touched. Queries asks questions
// whose answers are known, and questions that have none.
//
// The measure takes the product's own rendering, chunking, index and ranking,
// through the interface Index. Figures depend on nothing but
// the input and the index: no clock, no randomness, no order of goroutines.
package eval

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"agentflow/memory"
)

// unasked is how many commits at the start of a history are only remembered:
// a memory that holds next to nothing tells nothing.
const unasked = 100

// depth is how many entries of a ranking are looked at: one further down
// would add less than 0.001 to the reciprocal rank.
const depth = 1000

// CochangeOptions choose the questions. Open must be set.
type CochangeOptions struct {
	Open Opener
	Last int // how many of the newest commits are asked for; 0 means 300
	K    int // entries that count as looked at; 0 means 3
	// Parallel is how many histories are replayed at once; 0 means 1.
	Parallel int
	// Progress is called, from several goroutines, after each of all commits to
	// ask for; may be nil.
	Progress func(done, all int)
	// Asked is called after each search with what should have been found, one
	// after another for each history; may be nil.
	Asked func(history string, targets map[string]bool)
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
		o.Asked = func(string, map[string]bool) {}
	}
	return o
}

// ErrTooShort says that a history has too few commits for a measure.
var ErrTooShort = fmt.Errorf("nothing to measure: it takes more than %d commits that touch 1 to %d files", unasked, MaxFiles)

// Cochange replays histories and returns the figures of each, in order. For
// each of the last commits of a history, never one of its first hundred,
// memory holds one entry for every earlier commit and nothing else; the
// commit's subject is the query, its time is now, and the gate is open.
//
// Targets are the paths the commit touched (both paths of a rename), less
// those that more than a tenth of all earlier commits touched and those that
// none did; a commit without a target is skipped.
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

// replay measures one history in a folder of its own.
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
	paths  map[string][]string // of each entry, by its id
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
			r.o.Asked(h.Name, targets)
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

// ask returns the paths of the entries found for the commit, and the files that
// it would likely touch, best first.
func (r *replayer) ask(ctx context.Context, c *Commit) (ranking [][]string, files []memory.LikelyFile, err error) {
	if err := r.index.Sync(ctx, c.ID); err != nil {
		return nil, nil, err
	}
	hits, files, err := r.index.Search(ctx, memory.Query{Text: c.Subject, Now: c.Time, Limit: min(depth, r.counts.commits), Exists: r.tree.holds,
		Task: true, Files: listed})
	if err != nil {
		return nil, nil, err
	}
	ranking = make([][]string, len(hits))
	for i, h := range hits {
		ranking[i] = r.paths[h.EntryID]
	}
	return ranking, files, nil
}

// Index is the index under measure, over the Markdown of one folder.
type Index interface {
	// Sync takes in the changes in the folder, and the contents of files as they
	// were before a commit; empty is for none. A change that could not be taken in
	// is an error: a figure over half a memory would be no figure.
	Sync(ctx context.Context, before string) error
	// Search returns the hits and at most q.Files likely files, best first.
	Search(ctx context.Context, q memory.Query) (hits []memory.Hit, files []memory.LikelyFile, err error)
	Close() error
}

// Opener opens an index over the Markdown in dir, for the history of that name;
// of questions it is empty. It is called from several goroutines, each with a
// folder of its own.
type Opener func(ctx context.Context, dir, history string) (Index, error)

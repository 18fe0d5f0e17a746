package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"agentflow/executor"
	"agentflow/memory"
)

// batch is several runs, so many at a time.
type batch struct {
	*site
	o     runOptions
	req   executor.Request // of each; its task, id and limit differ
	tasks []string
	board *board
	hurry <-chan struct{}

	mu      sync.Mutex // guards all below
	freed   *sync.Cond // a run ended, or there will be none any more
	budget  budget
	begun   int // tasks, from the first on
	results []result
	told    map[string]bool // what did not work, said once
	ended   error           // why the rest was not begun; nil: nobody interrupted
}

// result is what came of one task.
type result struct {
	rec executor.Record // no entry: nothing was run
	end fate
	err error // why nothing was run
}

func (r *result) ran() bool { return r.rec.Entry.ID != "" }

// runParallel is run --parallel.
func (a *operation) runParallel(ctx context.Context, o runOptions, words []string) error {
	tasks, err := a.tasks(o, words)
	if err != nil {
		return err
	}
	s, err := a.runSite(ctx, &o)
	if err != nil {
		return err
	}
	if o.dryRun {
		return s.dryRuns(ctx, o, tasks)
	}
	req, err := s.request(o, "", nil)
	if err != nil {
		return err
	}
	s.makeMemory(ctx, o)
	s.tellUncommitted(ctx)
	b := s.newBatch(o, req, tasks)
	ctx, hurry, done := s.interruptible(ctx, "all runs")
	b.hurry = hurry
	b.run(ctx)
	done()
	b.board.end()
	return b.report()
}

func (s *site) newBatch(o runOptions, req executor.Request, tasks []string) *batch {
	b := &batch{site: s, o: o, req: req, tasks: tasks, results: make([]result, len(tasks)), told: map[string]bool{}}
	b.freed = sync.NewCond(&b.mu)
	_, named := s.settings.Agents[req.Agent.Name()]
	held := req.Agent.Name() == "claude" && !named
	b.budget = budget{total: o.maxTotal, each: req.MaxCostUSD, held: held, waiting: len(tasks)}
	switch {
	case o.maxTotal > 0 && held:
		s.say("the first run may cost $%.2f; those after it share what is left", b.budget.share())
	case o.maxTotal > 0:
		s.say("agent %s has no spend cap: runs that go on when $%.2f are reached are not ended", req.Agent.Name(), o.maxTotal)
	}
	b.board = s.newBoard(len(tasks), o.maxTotal)
	s.err = b.board // all that is said, and what agents say, goes beside it
	return b
}

// run returns when no run goes on any more.
func (b *batch) run(ctx context.Context) {
	stop := context.AfterFunc(ctx, b.freed.Broadcast)
	defer stop()
	var group sync.WaitGroup
	for range min(int(b.o.parallel), len(b.tasks)) {
		group.Go(func() {
			for {
				n, limit, ok := b.take(ctx)
				if !ok {
					return
				}
				r := b.one(ctx, n, limit)
				b.settle(n, limit, r)
			}
		})
	}
	group.Wait()
	b.ended = context.Cause(ctx)
}

// take is the next task and what its run may cost.
func (b *batch) take(ctx context.Context) (n int, limit float64, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for ctx.Err() == nil && b.begun < len(b.tasks) {
		limit, verdict := b.budget.grant()
		switch verdict {
		case granted:
			b.begun++
			return b.begun - 1, limit, true
		case exhausted:
			return 0, 0, false
		}
		b.freed.Wait()
	}
	return 0, 0, false
}

// one is a run from its work tree's making to its end.
func (b *batch) one(ctx context.Context, n int, limit float64) result {
	req := b.req
	req.Task, req.MaxCostUSD = b.tasks[n], limit
	row := b.board.begin(n, req)
	defer row.end()
	tree, err := b.ownTree(ctx, b.o.treeOptions, req.Task)
	if err != nil {
		return result{err: err}
	}
	row.in(tree)
	deps := b.deps(ctx, req, b.o)
	tree.enter(ctx, &deps, &req)
	deps.AgentOut, deps.AgentErr, deps.Sink, deps.Hurry = io.Discard, row, row.event, b.hurry
	rec, err := executor.Run(ctx, deps, req)
	if err == nil {
		trouble := b.extractAfter(ctx, &rec)
		b.mu.Lock()
		b.degraded("extract", trouble)
		b.mu.Unlock()
		b.finished(ctx, finishOf(rec))
	}
	return result{rec: rec, end: tree.leave(ctx, b.o.treeOptions), err: err}
}

// settle takes a run's result and lets the next one begin.
func (b *batch) settle(n int, limit float64, r result) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.results[n] = r
	cost := 0.0
	if r.ran() {
		cost = r.rec.Entry.Result.CostUSD
		line := runLine(&r.rec.Entry)
		if why := r.rec.Reason; why != "" {
			line += ": " + cutRunes(why, maxReason)
		}
		b.say("[%d] %s", n+1, line)
		b.tellNew(r.rec)
	} else {
		b.warn("[%d] not started: %v", n+1, r.err)
	}
	b.budget.settle(limit, billed(&r, limit))
	b.board.spend(cost, r.ran() && r.rec.Outcome == memory.OutcomeOK)
	b.freed.Broadcast()
}

// billed is what a run with this limit counts in the budget. One that was cut
// off tells no cost, and may have spent all it might.
func billed(r *result, limit float64) float64 {
	switch {
	case !r.ran() || r.rec.Outcome == memory.OutcomeNotStarted:
		return 0
	case r.rec.Outcome != memory.OutcomeOK && r.rec.Entry.Result.CostUSD == 0:
		return limit
	}
	return r.rec.Entry.Result.CostUSD
}

// tellNew says what did not work, unless another run has said so.
func (b *batch) tellNew(rec executor.Record) {
	rec.Degraded = slices.DeleteFunc(slices.Clone(rec.Degraded), func(line string) bool {
		known := b.told[line]
		b.told[line] = true
		return known
	})
	b.tellTrouble(rec)
}

// unbegun is why a task was not begun.
func (b *batch) unbegun() error {
	if b.ended != nil {
		return executor.Interrupt{Signal: os.Interrupt}
	}
	return fmt.Errorf("the limit of $%.2f in all is reached", b.o.maxTotal)
}

// exit is the exit code of several runs.
func (b *batch) exit() error {
	code := exitOK
	for _, r := range b.results {
		switch {
		case !r.ran() || r.rec.Outcome != memory.OutcomeOK:
			code = exitAgent
		case code == exitOK && (r.rec.RecordError != nil || b.o.strict && len(r.rec.Degraded) > 0):
			code = exitNotRecorded
		}
	}
	var in executor.Interrupt
	if errors.As(b.ended, &in) {
		code = exitInterrupted
		if in.Signal != os.Interrupt {
			code = exitTerminated
		}
	}
	if code == exitOK {
		return nil
	}
	return codedError{code: code, err: errors.New("not all runs ended well"), said: true}
}

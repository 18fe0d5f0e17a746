package run

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/worktree"
	"agentflow/executor"
	"agentflow/memory"
)

// TasksRequest asks for one run for each of several tasks, each in a separate working tree.
type TasksRequest struct {
	Request      // for each task; its Task, Answer and Output are ignored, and Resume must be empty
	Tasks        []string
	AtOnce       int                      // largest number of concurrent runs; at least 1
	MaxTotalCost float64                  // US dollars for all runs; 0 is no limit
	Outputs      func(task int) io.Writer // returns the Output of a task's run; nil drops all output
}

// TasksResult holds the results of all tasks.
type TasksResult struct {
	Tasks       []TaskResult // files that several runs changed, in the order of their paths
	Overlaps    []Overlap    // why the context ended before all tasks had ended; nil if it did not
	Interrupted error        // why the context ended before all tasks had begun or ended; nil when it did not
	Degraded    []string
}

// TaskResult is the result of one task.
type TaskResult struct {
	app.RunResult       // Run has no id if the task was not begun
	Err           error // why no run was started; nil if one was
}

// Overlap is a file that several runs changed. Merging them one after the other may conflict there.
type Overlap struct {
	Path  string
	Tasks []int // indexes of tasks, from 0
}

// RunTasks runs the tasks, at most AtOnce at a time. It returns an error only if nothing was started. The end of the
// context ends all runs, and each of them is recorded.
func RunTasks(ctx context.Context, m *app.Memory, req TasksRequest) (res TasksResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&res.Degraded, &err)
	if req.AtOnce < 1 || !(req.MaxTotalCost >= 0) { // the negation also refuses NaN
		return res, app.Usagef("running tasks: want 1 at a time or more and a limit of $0 or more, have %d and %v", req.AtOnce, req.MaxTotalCost)
	}
	req.Worktree.Own, req.Answer = true, nil
	r, err := newRunner(ctx, o, req.Request)
	if err != nil {
		return res, err
	}
	if r.exec, err = r.Execution(nil); err != nil {
		return res, err
	}
	r.makeMemory(ctx)
	worktree.TellUncommitted(ctx, r.Repo)
	b := newBatch(r, req)
	o.Tell(app.Event{Kind: app.EventRunBegins})
	b.run(ctx)
	return b.result(), nil
}

// batch runs several tasks, a limited number at a time.
type batch struct {
	runner  *runner
	all     TasksRequest
	started time.Time

	mu       sync.Mutex // guards the fields below
	freed    *sync.Cond // signals that a run ended, or that ctx ended
	budget   budget
	begun    int // number of started tasks, which are the first ones
	results  []TaskResult
	reported map[string]bool // lines of Degraded that were already reported
	ended    error           // why the remaining tasks were not started; nil: no interrupt
}

func newBatch(r *runner, req TasksRequest) *batch {
	b := &batch{runner: r, all: req, started: time.Now(), results: make([]TaskResult, len(req.Tasks)), reported: map[string]bool{}}
	b.freed = sync.NewCond(&b.mu)
	name := r.exec.Agent.Name()
	_, named := r.Repo.Settings.Agents[name]
	capped := name == "claude" && !named
	b.budget = budget{total: req.MaxTotalCost, each: r.exec.MaxCostUSD, capped: capped, waiting: len(req.Tasks)}
	switch {
	case req.MaxTotalCost > 0 && capped:
		b.runner.Repo.Say("the first run may cost $%.2f; later runs share the rest", b.budget.share())
	case req.MaxTotalCost > 0:
		b.runner.Repo.Say("agent %s has no spend cap: runs in progress are not ended when $%.2f are reached", name, req.MaxTotalCost)
	}
	return b
}

// run starts the tasks and returns when no run is active.
func (b *batch) run(ctx context.Context) {
	stop := context.AfterFunc(ctx, b.freed.Broadcast)
	defer stop()
	var group sync.WaitGroup
	for range min(b.all.AtOnce, len(b.all.Tasks)) {
		group.Go(func() {
			for {
				n, limit, ok := b.take(ctx)
				if !ok {
					return
				}
				b.end(n, limit, b.one(ctx, n, limit))
			}
		})
	}
	group.Wait()
	b.ended = context.Cause(ctx)
}

// take returns the next task and the cost limit of its run.
func (b *batch) take(ctx context.Context) (n int, limit float64, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for ctx.Err() == nil && b.begun < len(b.all.Tasks) {
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

// one runs a task, from the creation of its working tree to its end.
func (b *batch) one(ctx context.Context, n int, limit float64) TaskResult {
	r := *b.runner // a copy for this task
	r.req.Task, r.exec.Task, r.exec.MaxCostUSD = b.all.Tasks[n], b.all.Tasks[n], limit
	if b.all.Outputs != nil {
		r.req.Output = b.all.Outputs(n)
	}
	title := memory.Title(r.req.Task)
	r.Repo.Tell(app.Event{Kind: app.EventRun, Run: &app.RunEvent{Task: n, Title: title, Doing: "making its work tree", Line: title}})
	tree, err := worktree.MakeWorktree(ctx, r.Repo, r.req.Worktree, r.req.Task)
	if err != nil {
		return TaskResult{Err: err}
	}
	r.Repo.Tell(app.Event{Kind: app.EventRun, Run: &app.RunEvent{Task: n, Line: "branch " + tree.Branch}})
	deps := r.deps(ctx)
	tree.Enter(ctx, &deps, &r.exec)
	rec, err := r.execute(ctx, deps, r.exec, n)
	if err != nil {
		tree.Leave(ctx, r.req.Worktree, rec)
		return TaskResult{Err: err}
	}
	Finished(ctx, r.Repo, finishOf(rec), r.req.Output)
	result := TaskResult{RunResult: r.result(rec, tree.Leave(ctx, r.req.Worktree, rec))}
	b.tellNew(rec)
	return result
}

func (b *batch) end(n int, limit float64, t TaskResult) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.results[n] = t
	b.runner.Repo.Tell(app.Event{Kind: app.EventRun, Run: &app.RunEvent{Task: n, Result: &t.RunResult, Err: t.Err}})
	b.budget.settle(limit, Billed(&t.Run, limit))
	b.freed.Broadcast()
}

// Billed returns the cost that a run with this limit counts in the budget. A run that was cut off reports no cost, and
// may have spent its whole limit.
func Billed(run *api.Run, limit float64) float64 {
	switch {
	case run.ID == "" || run.Outcome == memory.OutcomeNotStarted:
		return 0
	case run.Outcome != memory.OutcomeOK && run.CostUSD == 0:
		return limit
	}
	return run.CostUSD
}

// tellNew reports the failures of a run that no other run has reported.
func (b *batch) tellNew(rec executor.Record) {
	b.mu.Lock()
	defer b.mu.Unlock()
	rec.Degraded = slices.DeleteFunc(slices.Clone(rec.Degraded), func(line string) bool {
		again := b.reported[line]
		b.reported[line] = true
		return again
	})
	tellTrouble(b.runner.Repo, rec)
}

func (b *batch) result() TasksResult {
	for n := range b.results {
		t := &b.results[n]
		if t.Err == nil && t.Run.ID == "" {
			t.Err = b.unbegun()
		}
		if t.Err != nil {
			t.Run = api.NewRun(memory.Entry{Kind: memory.KindRun, Agent: b.runner.exec.Agent.Name(), Time: b.started, Task: b.runner.Repo.Redact.Text(b.all.Tasks[n]),
				Errors: []string{t.Err.Error()}, Result: &memory.Result{Outcome: memory.OutcomeNotStarted}}, "")
		}
	}
	return TasksResult{Tasks: b.results, Overlaps: overlaps(b.results), Interrupted: b.ended}
}

func (b *batch) unbegun() error {
	if b.ended != nil {
		return Interrupt{Signal: os.Interrupt}
	}
	return fmt.Errorf("the limit of $%.2f in all is reached", b.all.MaxTotalCost)
}

func overlaps(tasks []TaskResult) []Overlap {
	by := map[string][]int{}
	for n := range tasks {
		run := &tasks[n].Run
		for _, c := range slices.Concat(run.Changes, run.Uncommitted) {
			for _, path := range []string{c.Path, c.OldPath} {
				if path != "" && c.Files == 0 && !slices.Contains(by[path], n) {
					by[path] = append(by[path], n)
				}
			}
		}
	}
	var out []Overlap
	for path, runs := range by {
		if len(runs) > 1 {
			out = append(out, Overlap{path, runs})
		}
	}
	slices.SortFunc(out, func(a, b Overlap) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// budget distributes the total cost of several runs, in US dollars. It only computes, and is not safe for concurrent
// use.
type budget struct {
	total   float64 // 0: no limit
	each    float64 // limit of one run; 0: no limit
	capped  bool    // the agent stops when it has spent its limit
	waiting int     // runs that have not started

	spent, promised float64 // promised: to active runs
}

// verdict is the answer of a budget to a request for one more run.
type verdict int

const (
	granted   verdict = iota
	wait              // until a run returns the unused part of its limit
	exhausted         // no more runs may start
)

// cent is the least remaining budget with which a run may start.
const cent = 0.01

// grant requests one more run. limit is the most that it may cost, or 0 for no limit. The limit is an equal share of
// the free budget for each waiting run, in whole cents.
func (b *budget) grant() (limit float64, v verdict) {
	free := b.free()
	switch {
	case b.total == 0 || !b.capped && free >= cent:
		b.waiting--
		return b.each, granted
	case free < cent && b.promised > 0:
		return 0, wait
	case free < cent:
		return 0, exhausted
	}
	limit = b.share()
	b.promised += limit
	b.waiting--
	return limit, granted
}

// free returns the budget that is neither spent nor promised.
func (b *budget) free() float64 { return b.total - b.spent - b.promised }

// share returns the cost limit of the next waiting run.
func (b *budget) share() float64 {
	share := max(math.Floor(100*b.free()/float64(b.waiting))/100, cent)
	if b.each > 0 {
		share = min(share, b.each)
	}
	return share
}

// settle ends a run that was granted limit and that cost so much.
func (b *budget) settle(limit, cost float64) {
	b.spent += cost
	if b.total > 0 && b.capped {
		b.promised = max(b.promised-limit, 0)
	}
	if b.promised < cent/2 {
		b.promised = 0 // remove rounding errors
	}
}

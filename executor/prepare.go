package executor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"agentflow/memory"
	"agentflow/prompt"
)

// Prepared is the prompt of a run that was not begun.
type Prepared struct {
	Prompt   string
	Hits     []memory.Hit // what of memory stands in it
	Tokens   int          // of those
	Degraded []string
}

// maxQuery is how much of a task is searched for, in runes: the words of a
// long one drown each other.
const maxQuery = 600

// Prepare recalls and builds the prompt, and does nothing else. It returns
// within the recall deadline, whatever the Recaller does.
func Prepare(ctx context.Context, deps Deps, req Request) Prepared {
	return prepare(ctx, deps.withDefaults(), req.withDefaults())
}

func prepare(ctx context.Context, deps Deps, req Request) Prepared {
	var hits []memory.Hit
	var degraded []string
	if deps.Recall != nil && !req.NoRecall && !prompt.IsCommand(req.Task) {
		hits, degraded = recall(ctx, deps, req)
	}
	out := prompt.Build(prompt.Input{Task: req.Task, Hits: hits, Budget: req.Budget, Top: req.Top})
	return Prepared{Prompt: out.Text, Hits: out.Used, Tokens: out.Tokens, Degraded: degraded}
}

// recall asks memory. Failing or being late takes nothing but the hits.
func recall(ctx context.Context, deps Deps, req Request) ([]memory.Hit, []string) {
	deps.Sink(Event{Kind: EventPhase, Text: PhaseRecall})
	type answer struct {
		hits     []memory.Hit
		degraded []string
	}
	got, err := within(ctx, req.RecallDeadline, func(ctx context.Context) (answer, error) {
		hits, degraded, err := deps.Recall.Recall(ctx, memory.Head(req.Task, maxQuery))
		return answer{hits, degraded}, err
	})
	if err != nil {
		return nil, append(got.degraded, fmt.Sprintf("nothing was recalled: %v", err))
	}
	return got.hits, got.degraded
}

// errLate says that a helper took longer than it may.
var errLate = errors.New("not done in time")

// within gives f so long and not longer. One that does not listen to its
// context is left behind: its answer is no longer wanted.
func within[T any](ctx context.Context, limit time.Duration, f func(context.Context) (T, error)) (T, error) {
	if limit <= 0 {
		return f(ctx)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w (%v)", errLate, limit))
	defer cancel()
	type answer struct {
		value T
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		value, err := f(ctx)
		done <- answer{value, err}
	}()
	select {
	case a := <-done:
		return a.value, a.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

package executor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"agentflow/executor/agent"
	"agentflow/memory"
	"agentflow/memory/retrieval"
	"agentflow/prompt"
)

// Prepared is the prompt of a run that has not begun.
type Prepared struct {
	Prompt   string
	Hits     []retrieval.Hit // the entries in it
	Facts    []prompt.Fact   // of MEMORY.md, followed by the notes of the last days; they come before Hits
	Files    []retrieval.LikelyFile
	Tokens   int  // of hits, facts, notes and files
	Recalled bool // memory was searched
	Degraded []string
}

// MaxQuery limits the beginning of a task that is searched for, in runes: in a long task,
// rare words get lost among common ones.
const MaxQuery = 600

// Prepare recalls and builds the prompt, and has no other effect. It returns within the recall
// deadline, even if the Recaller does not.
func Prepare(ctx context.Context, deps Deps, req Request) Prepared {
	return prepare(ctx, deps.withDefaults(), req.withDefaults())
}

func prepare(ctx context.Context, deps Deps, req Request) Prepared {
	var known Known
	recalls := deps.Recall != nil && !req.NoRecall && !prompt.IsCommand(req.Task)
	if recalls {
		known = recall(ctx, deps, req)
	}
	out := prompt.Build(prompt.Input{
		Task: req.Task, Known: known.Known, Limits: req.Limits, Now: deps.Now(), NoSaveRule: deps.Record == nil,
	})
	return Prepared{
		Prompt: out.Text, Hits: out.Used, Facts: slices.Concat(out.Facts, out.Notes), Files: out.Files, Tokens: out.Tokens,
		Recalled: recalls, Degraded: known.Degraded,
	}
}

// recall searches memory. If the Recaller fails or is late, the run loses only its answer.
func recall(ctx context.Context, deps Deps, req Request) Known {
	deps.Sink(agent.Event{Kind: EventPhase, Text: PhaseRecall})
	known, err := within(ctx, req.RecallDeadline, func(ctx context.Context) (Known, error) {
		return deps.Recall.Recall(ctx, memory.Head(req.Task, MaxQuery))
	})
	switch {
	case err != nil && len(known.Facts)+len(known.Notes) > 0:
		known.Degraded = append(known.Degraded, fmt.Sprintf("only facts were recalled: %v", err))
	case err != nil:
		known = Known{Degraded: append(known.Degraded, fmt.Sprintf("nothing was recalled: %v", err))}
	}
	return known
}

// errLate reports a helper that exceeded its time limit.
var errLate = errors.New("not done in time")

// within waits for f until the limit. An f that ignores its context continues in the
// background, and its answer is dropped.
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

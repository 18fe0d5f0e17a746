package server

import (
	"context"

	"agentflow/app"
)

// MaxBatch is the maximum number of requests in one batch.
const MaxBatch = 100

// Batch is several requests in one, at most MaxBatch in total. They are handled
// in this order, searches first.
type Batch struct {
	Searches []Search  `json:"searches,omitempty"`
	Recalls  []Recall  `json:"recalls,omitempty"`
	Facts    []NewFact `json:"facts,omitempty" doc:"to remember"`
}

// Outcome is the result of one of these requests: its answer, or the error.
type Outcome[T any] struct {
	Answer *T       `json:"answer,omitempty"`
	Error  *Problem `json:"error,omitempty"`
}

// BatchAnswer has the outcomes, in the order of the requests.
type BatchAnswer struct {
	Searches []Outcome[Hits]       `json:"searches"`
	Recalls  []Outcome[Recalled]   `json:"recalls"`
	Facts    []Outcome[Remembered] `json:"facts"`
}

func batch(ctx context.Context, c call, in Batch) (out BatchAnswer, err error) {
	if n := len(in.Searches) + len(in.Recalls) + len(in.Facts); n == 0 || n > MaxBatch {
		return out, usagef("a batch has 1 to %d requests, have %d", MaxBatch, n)
	}
	return BatchAnswer{each(ctx, c, in.Searches, search), each(ctx, c, in.Recalls, recall), each(ctx, c, in.Facts, remember)}, nil
}

func each[In, Out any](ctx context.Context, c call, list []In, do func(context.Context, call, In) (Out, error)) []Outcome[Out] {
	outcomes := []Outcome[Out]{}
	for _, in := range list {
		var one Outcome[Out]
		out, err := do(ctx, c, in)
		if err == nil {
			err = ctxError(ctx)
		}
		if one.Answer = &out; err != nil {
			p, _ := problemOf(err)
			one = Outcome[Out]{Error: &p}
		}
		outcomes = append(outcomes, one)
	}
	return outcomes
}

// ctxError returns an error if the client has disconnected or the server ends.
func ctxError(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return &app.Error{Kind: app.KindUnavailable, Err: err}
	}
	return nil
}

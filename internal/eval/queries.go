package eval

import (
	"context"
	"errors"
	"fmt"
	"time"

	"agentflow/memory/retrieval"
)

// injected limits the hits in a prompt, and those of questions without an answer.
const injected = 5

// QueryOptions configure how questions are asked. Open must be set.
type QueryOptions struct {
	Open     Opener
	K        int                 // an additional recall to show, besides those at 1 and 10; 0 means 5
	Progress func(done, all int) // called after each question; may be nil
}

// QueryFigures are the figures of a set of questions.
type QueryFigures struct {
	Answered   int         // questions with an answer
	Gated      RankFigures // as a prompt gets them, past the relevance gate
	Ungated    RankFigures // as a search shows them
	Unanswered int         // questions without an answer
	// FalseInjection is the share of unanswered questions with a hit that passes the gate.
	// Injected is the mean number of such hits over all unanswered questions.
	FalseInjection float64
	Injected       float64
}

// Queries asks the memory in the folder dir. It returns an error if memory lacks an answer,
// because then the set is not about this memory.
func Queries(ctx context.Context, dir string, questions []Question, o QueryOptions) (f QueryFigures, err error) {
	if o.K <= 0 {
		o.K = injected
	}
	if o.Progress == nil {
		o.Progress = func(int, int) {}
	}
	known, err := survey(dir)
	if err == nil {
		err = known.check(questions)
	}
	if err != nil {
		return f, fmt.Errorf("asking the memory in %s: %w", dir, err)
	}
	index, err := o.Open(ctx, dir, "")
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	if err := index.Sync(ctx, ""); err != nil {
		return f, err
	}
	a := asker{o: o, index: index, now: known.newest}
	for i, q := range questions {
		if err := a.ask(ctx, q); err != nil {
			return f, err
		}
		o.Progress(i+1, len(questions))
	}
	return a.figures(), nil
}

type asker struct {
	o              QueryOptions
	index          Index
	now            time.Time
	gated, ungated []RankFigures
	unanswered     int
	injecting      int // unanswered questions with a hit past the gate
	hits           int // such hits
}

func (a *asker) ask(ctx context.Context, q Question) error {
	if q.Now.IsZero() {
		q.Now = a.now
	}
	query := retrieval.Query{Text: q.Text, Now: q.Now, Filter: q.Filter, Gate: true, Task: true, Limit: max(cutoff, a.o.K)}
	if len(q.Answers) == 0 {
		query.Limit = injected
		hits, _, err := a.index.Search(ctx, query)
		a.unanswered++
		a.hits += len(hits)
		if len(hits) > 0 {
			a.injecting++
		}
		return err
	}
	for _, gate := range []bool{true, false} {
		query.Gate, query.Task = gate, gate
		hits, _, err := a.index.Search(ctx, query)
		if err != nil {
			return err
		}
		score := scoreHits(q.found(hits), len(q.Answers), a.o.K)
		if gate {
			a.gated = append(a.gated, score)
		} else {
			a.ungated = append(a.ungated, score)
		}
	}
	return nil
}

// found returns the number of the answer that each hit gives, or -1.
func (q *Question) found(hits []retrieval.Hit) []int {
	out := make([]int, len(hits))
	for i, h := range hits {
		n, ok := q.rightAnswer(h)
		if out[i] = n; !ok {
			out[i] = -1
		}
	}
	return out
}

func (a *asker) figures() QueryFigures {
	f := QueryFigures{Answered: len(a.gated), Gated: meanRank(a.gated, a.o.K), Ungated: meanRank(a.ungated, a.o.K), Unanswered: a.unanswered}
	if a.unanswered > 0 {
		f.FalseInjection = float64(a.injecting) / float64(a.unanswered)
		f.Injected = float64(a.hits) / float64(a.unanswered)
	}
	return f
}

package main

import (
	"context"
	"fmt"
	"slices"

	"agentflow/index"
	"agentflow/index/files"
	"agentflow/internal/eval"
	"agentflow/internal/eval/past"
	"agentflow/memory/retrieval"
)

// task is a commit with the files that it might have touched.
type task struct {
	history string
	files   []candidate
}

type candidate struct {
	features files.Weights
	target   bool
	path     string
}

// record replays the histories, and returns all candidates of each commit.
func (c corpus) record(ctx context.Context, contents bool) ([]task, error) {
	var tasks []task
	for _, h := range c.Histories {
		var last *files.Ranked
		o := eval.CochangeOptions{
			Open: c.opener(contents, index.Options{Files: func(r *files.Ranked) { last = r }}),
			Asked: func(history string, _ map[string]bool, paths []string) {
				t := task{history: history}
				for path, x := range last.Candidates() {
					t.files = append(t.files, candidate{x, slices.Contains(paths, path), path})
				}
				tasks = append(tasks, t)
			},
		}
		if _, err := eval.Cochange(ctx, []eval.History{h}, o); err != nil {
			return nil, err
		}
	}
	return tasks, nil
}

// measure returns the figures of a history with given weights.
func (c corpus) measure(ctx context.Context, h eval.History, contents bool, w files.Weights) (eval.CochangeFigures, error) {
	open := c.opener(contents, index.Options{Weights: files.Same(w)})
	list, err := eval.Cochange(ctx, []eval.History{h}, eval.CochangeOptions{Open: open})
	if err != nil {
		return eval.CochangeFigures{}, err
	}
	return list[0], nil
}

// replayed is an index in memory over one folder, as package eval sees it.
type replayed struct {
	db   *index.DB
	dir  string
	past *past.Files // nil: without contents
}

func (c corpus) opener(contents bool, o index.Options) eval.Opener {
	return func(ctx context.Context, dir, history string) (eval.Index, error) {
		o, r := o, replayed{dir: dir}
		o.Embedder = c.Embedder
		if contents {
			r.past = past.Open(c.Objects[history])
			o.Contents = r.past.Find
		}
		var err error
		r.db, err = index.Open(ctx, "", o)
		return r, err
	}
}

// Sync implements eval.Index.
func (r replayed) Sync(ctx context.Context, before string) error {
	if r.past != nil {
		if err := r.past.Before(ctx, before); err != nil {
			return err
		}
	}
	report, err := r.db.Sync(ctx, index.Source{Dir: r.dir, Prefix: "memory/"})
	if err == nil && len(report.Skipped) > 0 {
		err = fmt.Errorf("taking in memory: %v", report.Skipped)
	}
	return err
}

// Search implements eval.Index.
func (r replayed) Search(ctx context.Context, q retrieval.Query) ([]retrieval.Hit, []retrieval.LikelyFile, error) {
	answer, err := r.db.Ask(ctx, q)
	return answer.Hits, answer.Files, err
}

// Close implements eval.Index.
func (r replayed) Close() error { return r.db.Close() }

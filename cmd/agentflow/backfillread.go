package main

import (
	"context"
	"iter"
	"runtime"
	"slices"

	"agentflow/gitwatch"
)

// fillChunk is how many commits are read by one git and written in one turn:
// enough to make the cost of starting git small, few enough that a run which
// ends meanwhile need not wait long for the lock.
const fillChunk = 500

// readAhead yields the commits in the order of their ids, a chunk at a time.
// Several gits read at once, ahead of whoever asks: counting lines is most of
// the work. An error is yielded once, as the last pair.
func (s *site) readAhead(ctx context.Context, ids []string) iter.Seq2[[]gitwatch.HistoryCommit, error] {
	type part struct {
		commits []gitwatch.HistoryCommit
		err     error
	}
	return func(yield func([]gitwatch.HistoryCommit, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		ahead := make(chan chan part, max(runtime.NumCPU()-1, 1))
		go func() {
			defer close(ahead)
			for chunk := range slices.Chunk(ids, fillChunk) {
				read := make(chan part, 1)
				select {
				case ahead <- read:
				case <-ctx.Done():
					return
				}
				go func() {
					commits, err := gitwatch.ReadCommits(ctx, s.gitFolder(), chunk)
					read <- part{commits, err}
				}()
			}
		}()
		for read := range ahead {
			p := <-read
			if !yield(p.commits, p.err) || p.err != nil {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(nil, err)
		}
	}
}

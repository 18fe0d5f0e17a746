package app

import (
	"context"
	"iter"
	"runtime"
	"slices"

	"agentflow/gitwatch/history"
	"agentflow/memory"
)

// fillChunk is how many commits are read by one git and written in one turn:
// enough to make the cost of starting git small, few enough that a run which
// ends meanwhile need not wait long for the lock.
const fillChunk = 500

// readAhead yields the commits in the order of their ids, a chunk at a time.
// Several gits read at once, ahead of whoever asks: counting lines is most of
// the work. An error is yielded once, as the last pair.
func (s *site) readAhead(ctx context.Context, ids []string) iter.Seq2[[]history.Commit, error] {
	type part struct {
		commits []history.Commit
		err     error
	}
	return func(yield func([]history.Commit, error) bool) {
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
					commits, err := history.Read(ctx, s.gitFolder(), chunk)
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

// fillIn makes the entries of commits and hands them to take, a chunk at a
// time.
func (s *site) fillIn(ctx context.Context, known *held, todo []string, local map[string]bool, report *backfillReport, take func([]memory.Entry) error) error {
	bar := s.newBar("recording")
	defer bar.end()
	done := 0
	for commits, err := range s.readAhead(ctx, todo) {
		if err != nil {
			return err
		}
		patches := s.patchIDs(ctx, commits, func(commit string) bool { return local[commit] })
		entries, err := s.freshEntries(ctx, known, commits, patches)
		if err != nil {
			return err
		}
		report.Held += len(commits) - len(entries)
		if err := take(entries); err != nil {
			return err
		}
		done += len(commits)
		bar.commits(done, len(todo))
	}
	return nil
}

// take writes entries.
func (s *site) take(ctx context.Context, entries []memory.Entry, report *backfillReport) error {
	out, err := s.store.RecordAll(ctx, entries)
	s.degraded("backfill", out.Degraded)
	report.Recorded += out.Written
	report.Waiting += out.Waiting
	report.Forgotten += out.Forgotten + out.Removed
	return err
}

// foretell lists what would be written.
func (r *backfillReport) foretell(entries []memory.Entry) error {
	for _, e := range entries {
		r.Entries = append(r.Entries, memoryEntry{e.ID, e.Commits[0].ID, e.Time, e.Title})
	}
	r.Recorded = len(r.Entries)
	return nil
}

package gitwatch

import (
	"context"
	"fmt"
	"time"

	"agentflow/gitwatch/reflog"
)

// readReflog reads the moves of a work tree's own HEAD within [from, to], for
// a git that writes no ref trace. The branches' reflogs are left alone: other
// work trees write them too.
func (r *Repo) readReflog(ctx context.Context, from, to time.Time) ([]reflog.Move, error) {
	entries, err := r.reflog(ctx)
	if err != nil {
		return nil, fmt.Errorf("read reflog: %w", err)
	}
	var moves []reflog.Move
	for _, e := range entries {
		if !e.Time.Before(from.Add(-reflog.ClockSlack)) && !e.Time.After(to.Add(reflog.ClockSlack)) {
			moves = append(moves, e.Move)
		}
	}
	return moves, nil
}

func (r *Repo) reflog(ctx context.Context) ([]reflog.Entry, error) {
	if !r.at.reftable {
		return reflog.OfHead(r.at.dir)
	}
	if _, commit, err := r.Head(ctx); err != nil || commit == "" {
		return nil, err
	}
	return reflog.OfHeadByGit(ctx, r.at.top)
}

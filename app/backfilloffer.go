package app

import (
	"context"
	"fmt"

	"agentflow/internal/plural"

	"agentflow/gitwatch/history"
)

// offerBackfill asks, on a terminal, whether a new memory is to hold the
// history; elsewhere it says how. Where nothing was committed it is silent.
func (s *site) offerBackfill(ctx context.Context) error {
	if s.CommonDir == "" {
		return nil
	}
	span := history.Range{Last: backfillLast}
	refs, err := history.IDs(ctx, s.gitFolder(), span)
	if err != nil || len(refs) == 0 {
		return nil // there is nothing to offer
	}
	if !s.inTTY || !s.errTTY {
		s.hint("'agentflow backfill' takes the history into memory, the last %s at first", plural.Count(backfillLast, "commit"))
		return nil
	}
	if !s.agreed(fmt.Sprintf("Take the last %s of the history into memory?", plural.Count(len(refs), "commit"))) {
		return nil
	}
	report, err := s.fill(ctx, span, false)
	s.tellBackfill(report, err)
	return err
}

package writeback

import (
	"context"
	"errors"
	"time"

	"agentflow/internal/filelock"
	"agentflow/writeback/internal/journal"
)

// Settle is Recover for commands that only read. It finishes the pending records of the log and
// restores a folder that vanished. It does not look for hand edits, so its cost does not grow with
// the number of files.
//
// If other processes are writing, Settle does not queue for their lock. It waits until they have
// finished the records that the log held when it was called, and takes the lock only if it is free.
func (s *Store) Settle(ctx context.Context) (Report, error) {
	var target journal.Position
	until := time.Now().Add(min(s.LockWait, recoverWait))
	for pause := firstLook; ; pause = min(2*pause, lastLook) {
		report, done := s.logs.CaughtUp(&target)
		if done {
			return report, nil
		}
		report, err := s.tidy(ctx, 0)
		var held *filelock.HeldError
		if !errors.As(err, &held) || time.Now().Add(pause).After(until) {
			return unchecked(report, err)
		}
		again := time.NewTimer(pause)
		select {
		case <-again.C:
		case <-ctx.Done():
			again.Stop()
			return unchecked(report, err)
		}
	}
}

// The pauses between two looks at the progress of other writers. Storing an entry takes some ten
// milliseconds.
const (
	firstLook = 2 * time.Millisecond
	lastLook  = 16 * time.Millisecond
)

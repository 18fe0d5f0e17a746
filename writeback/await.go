package writeback

import (
	"context"
	"errors"
	"time"

	"agentflow/internal/filelock"
	"agentflow/writeback/internal/journal"
)

// Settle is Recover for commands that only read: it finishes what the log
// holds and restores a folder that vanished, and does not look for hand
// edits, so that its cost does not grow with the number of files.
//
// While others write it does not queue for their lock: it waits until they
// have finished what the log held when it was called, and takes the lock only
// when it is free.
func (s *Store) Settle(ctx context.Context) (Report, error) {
	var target journal.Position
	until := time.Now().Add(min(s.LockWait, recoverWait))
	for pause := firstLook; ; pause = min(2*pause, lastLook) {
		report, done := s.caughtUp(&target)
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

// The pauses between two looks at what others write: a store takes some ten
// milliseconds.
const (
	firstLook = 2 * time.Millisecond
	lastLook  = 16 * time.Millisecond
)

// caughtUp says whether everything in the log up to target is in Markdown. The
// first look, and one at another log, sets target to the log's end.
func (s *Store) caughtUp(target *journal.Position) (Report, bool) {
	last := readSeen(s.State, false)
	if last == nil || dirChanged(last, s.Memory) || s.fallbackLogged() {
		return Report{}, false
	}
	report := Report{Vanished: last.gone}
	if target.Gen != "" && target.Gen == last.pos.Gen {
		return report, last.pos.Offset >= target.Offset
	}
	end, err := s.main.End()
	if err != nil || end.Gen == last.pos.Gen && end.Offset < last.pos.Offset { // it was cut
		return Report{}, false
	}
	*target = end
	return report, last.pos == end
}

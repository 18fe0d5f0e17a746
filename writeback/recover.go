package writeback

import (
	"context"
	"errors"
	"fmt"
	"time"

	"agentflow/internal/filelock"
	"agentflow/writeback/internal/journal"
	"agentflow/writeback/internal/seen"
)

// recoverWait bounds how long a command waits to tidy up after others. A process that holds the
// lock for longer finishes the log itself.
const recoverWait = 2 * time.Second

// Recover finishes the records that are in the log and not in Markdown, restores a vanished memory
// folder, and logs hand edits. If there is nothing to do, it takes no lock and reads no Markdown:
// it costs one stat per file.
func (s *Store) Recover(ctx context.Context) (Report, error) {
	if gone, ok := s.nothingToDo(); ok {
		return Report{Vanished: gone}, nil
	}
	return unchecked(s.tidy(ctx, min(s.LockWait, recoverWait)))
}

// tidy is Recover under the lock, which it waits for up to wait.
func (s *Store) tidy(ctx context.Context, wait time.Duration) (Report, error) {
	w, err := s.begin(ctx, s.Command, wait)
	if err != nil {
		return Report{}, fmt.Errorf("recovering memory: %w", err)
	}
	err = errors.Join(w.settler.Scan(ctx), w.finish(ctx))
	w.Sweep()
	err = errors.Join(err, w.End(ctx))
	w.Report.Vanished = w.Gone()
	if err != nil {
		return *w.Report, fmt.Errorf("recovering memory: %w", err)
	}
	return *w.Report, nil
}

// unchecked turns the error that another process kept the lock into a degradation.
func unchecked(r Report, err error) (Report, error) {
	var held *filelock.HeldError
	if errors.As(err, &held) {
		return Report{Degraded: []string{"memory was not checked for interrupted writes and hand edits: " + held.Error()}}, nil
	}
	return r, err
}

// Vanished runs Recover and names the entries that disappeared from Markdown without forget.
func (s *Store) Vanished(ctx context.Context) ([]Ref, error) {
	report, err := s.Recover(ctx)
	return report.Vanished, err
}

// nothingToDo compares the stats of the files with those last seen.
func (s *Store) nothingToDo() (gone []Ref, ok bool) {
	files, err := s.Folder.List()
	if err != nil || s.logs.FallbackLogged() {
		return nil, false
	}
	end, err := s.logs.Main.End()
	if err != nil {
		return nil, false
	}
	last := seen.Load(s.State)
	if last == nil {
		return nil, len(files) == 0 && end == journal.Position{} && !s.logs.Checkpointed()
	}
	if last.Pos != end || len(files) != s.Folder.SeenOf(last) || seen.DirChanged(last, s.Memory) {
		return nil, false
	}
	for name, info := range files {
		stamp, ok := last.Files[name]
		if !ok || !stamp.Matches(info) {
			return nil, false
		}
		if last.Racy(info) && !s.Folder.Unchanged(name, stamp) {
			return nil, false
		}
	}
	return last.Gone, true
}

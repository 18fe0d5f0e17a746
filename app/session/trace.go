package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"agentflow/app/purge"
	"agentflow/executor/turns"
	"agentflow/gitwatch/reftrace"
	"agentflow/internal/filelock"
	"agentflow/internal/proc"
)

// manyRefs is the size of packed-refs, in bytes, from which git's trace needs a
// process that keeps it small during a turn: some hundred references.
const manyRefs = 64 << 10

// watchesTrace reports whether a turn needs such a process.
func (s *sessionMemory) watchesTrace() bool {
	if s.ev.Moment != turns.Asked || !s.folder.Traced() {
		return false
	}
	packed, err := os.Stat(filepath.Join(s.Repo.CommonDir, "packed-refs"))
	if err == nil && packed.Size() >= manyRefs {
		return true
	}
	_, err = os.Stat(filepath.Join(s.Repo.CommonDir, "reftable"))
	return err == nil
}

// Intervals of a process that keeps a trace small.
const (
	traceEvery = 100 * time.Millisecond
	traceWait  = time.Second // for one of the turn before
)

// watchTrace keeps the session's trace small while the agent is at work.
func (s *sessionMemory) watchTrace(ctx context.Context) error {
	lock, err := s.folder.WatchTrace(ctx, traceWait, time.Now())
	if held := new(filelock.HeldError); errors.As(err, &held) {
		return nil
	}
	if err != nil {
		return err
	}
	defer lock.Release()
	trimmer := reftrace.NewTrimmer(s.folder.Trace())
	for tick := time.Tick(traceEvery); s.agentWorks(time.Now()); {
		if err := trimmer.Trim(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick:
		}
	}
	return trimmer.Trim()
}

// agentWorks reports whether the agent is at work in a turn, judged by its process and
// the session's files.
func (s *sessionMemory) agentWorks(now time.Time) bool {
	_, on := s.folder.Turn()
	st := turns.State{PID: s.ev.PID, PIDBegan: s.ev.PIDBegan, Transcript: s.ev.Transcript}
	if st.PID != 0 {
		return on && proc.Lives(st.PID, st.PIDBegan)
	}
	return on && now.Sub(purge.LastMove(s.folder, st)) < turns.MaxIdle
}

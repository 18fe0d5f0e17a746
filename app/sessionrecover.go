package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"agentflow/executor"
	"agentflow/executor/turns"
	"agentflow/internal/filelock"
	"agentflow/internal/proc"
	"agentflow/memory"
)

// recoverSessions writes the entries of sessions that are over though no hook
// said so: the agent was killed, its terminal closed, or nobody has asked
// anything for a while.
func (s *openMemory) recoverSessions(ctx context.Context) {
	for _, open := range executor.OpenSegments(s.Runs()) {
		rec, err := s.recoverSession(ctx, open)
		var held *filelock.HeldError
		switch {
		case errors.As(err, &held) || errors.Is(err, executor.ErrSegmentOver):
		case err != nil:
			s.degraded("recover", []string{fmt.Sprintf("finishing session %s: %v", memory.ShortID(open.ID), err)})
		case rec.MemoryPath != "":
			s.say("recorded %s, of a session that is over (%s)", memory.ShortID(open.ID), rec.Entry.Title)
		}
	}
}

// recoverWait is how long the lock of a session is waited for: its own process
// does the work otherwise.
const recoverWait = 4 * time.Millisecond

func (s *openMemory) recoverSession(ctx context.Context, open executor.OpenSegment) (rec executor.Record, err error) {
	folder, err := turns.At(s.sessions(), open.Agent, open.Session)
	if err != nil {
		return rec, err
	}
	st, err := folder.Load()
	last := lastMove(folder, st)
	if err == nil && !turns.Abandoned(st, last, time.Now(), proc.Lives) {
		return rec, nil
	}
	if err := folder.Make(); err != nil {
		return rec, err
	}
	lock, err := folder.Lock(ctx, recoverWait, time.Now())
	if err != nil {
		return rec, err
	}
	defer lock.Release()
	st.Agent, st.Session, st.Segment = open.Agent, open.Session, open.ID
	session := &sessionMemory{openMemory: s, folder: folder, ev: SessionEvent{Agent: open.Agent, Session: open.Session, Moment: turns.Left, At: cmp.Or(last, time.Now())}}
	return session.finishLeft(ctx, &st)
}

// lastMove is when something of a session moved last; zero when nothing is
// left of it.
func lastMove(folder turns.Folder, st turns.State) time.Time {
	last, _ := folder.Turn()
	for _, name := range []string{st.Transcript, folder.Trace()} {
		if info, err := os.Stat(name); name != "" && err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last
}

// finishLeft ends the open segment of a session that is over, and records it.
func (s *sessionMemory) finishLeft(ctx context.Context, st *turns.State) (rec executor.Record, err error) {
	ctx = context.WithoutCancel(ctx) // an entry is whole or not there
	deps := s.sessionDeps(ctx)
	seg, err := executor.TakeSegment(ctx, deps, st.Segment)
	if err != nil {
		return rec, err
	}
	if err := seg.Read(ctx); err != nil {
		s.trouble(err.Error()) // what was read before is told
	}
	end := executor.SegmentEnd{At: cmp.Or(seg.Turns().Last, s.ev.At), Remarks: []string{"the session ended without saying so; recorded by a later command"}}
	shown := s.folder.Shown()
	end.Hits, end.Facts = shown.Hits, shown.Facts
	if err := seg.End(end); err != nil {
		return rec, errors.Join(err, seg.Close())
	}
	st.Segment, st.PID = "", 0
	err = errors.Join(s.folder.Save(*st), s.folder.EndTurn(time.Now()))
	rec = seg.Finish(ctx)
	s.degraded("session", append(rec.Degraded, s.extractAfter(ctx, &rec)...))
	return rec, errors.Join(err, rec.RecordError)
}

// closeLeft does so for a session that goes on in another process.
func (s *sessionMemory) closeLeft(ctx context.Context, st *turns.State) error {
	if st.Segment == "" {
		return nil
	}
	_, err := s.finishLeft(ctx, st)
	if errors.Is(err, executor.ErrSegmentOver) {
		return nil // takeSegment goes on behind it
	}
	return err
}

// sessionAtWork says whether the agent of any session is at work in this repository, so
// that its commits will stand in an entry of the session.
func (s *openMemory) sessionAtWork(now time.Time) bool {
	for _, folder := range turns.All(s.sessions()) {
		if began, on := folder.Turn(); on && now.Sub(began) < turns.MaxIdle {
			return true
		}
	}
	return false
}

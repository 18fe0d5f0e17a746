package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"agentflow/app"
	"agentflow/app/purge"
	"agentflow/app/settle"
	"agentflow/executor"
	"agentflow/executor/turns"
	"agentflow/internal/filelock"
	"agentflow/internal/gitdir"
	"agentflow/internal/proc"
	"agentflow/internal/safefile"
	"agentflow/memory"
)

// recoverSessions writes the entries of sessions that are over although no hook
// said so: the agent was killed, its terminal was closed, or its user has been
// idle for a while.
func recoverSessions(ctx context.Context, s *app.Repo) {
	for _, o := range executor.OpenSegments(s.Runs()) {
		if folder, err := turns.At(app.SessionsFolder(s), o.Agent, o.Session); err == nil {
			recoverSession(ctx, s, folder, Event{Agent: o.Agent, Session: o.Session})
		}
	}
	now := time.Now()
	_ = turns.Sweep(app.SessionsFolder(s), now, now.Add(-keepSessions)) // or the next command does
	for _, folder := range turns.Open(app.SessionsFolder(s)) {          // a segment may have ended, or never begun
		st, err := folder.Known()
		here := st.WorkTree == s.Worktree || hasLeft(s, st) // its changes are seen only there
		if err == nil && st.Ended.IsZero() && here {
			recoverSession(ctx, s, folder, Event{Agent: st.Agent, Session: st.Session, Transcript: st.Transcript})
		}
	}
}

// keepSessions is how long the folder of an ended session is kept. A session that is
// resumed after that may be shown again what it already knows.
const keepSessions = 30 * 24 * time.Hour

// recoverWait limits the wait for the lock of a session. If the lock is held, the
// session's own process does the work.
const recoverWait = 4 * time.Millisecond

// recoverSession records the work of an event's session, if the session is over.
func recoverSession(ctx context.Context, s *app.Repo, folder turns.Folder, ev Event) {
	ev.Moment = turns.Left
	session := &sessionMemory{Repo: s, folder: folder, ev: ev}
	if st, err := folder.Known(); err == nil && !session.abandoned(st) {
		return
	}
	rec, err := session.finishAbandoned(ctx)
	var held *filelock.HeldError
	switch {
	case errors.As(err, &held) || errors.Is(err, executor.ErrSegmentOver):
	case err != nil:
		s.Degraded("recover", []string{fmt.Sprintf("finishing session %s of %s: %v", memory.ShortID(ev.Session), ev.Agent, err)})
	case rec.MemoryPath != "":
		s.Say("recorded %s, of a session that is over (%s)", memory.ShortID(rec.Entry.ID), rec.Entry.Title)
	}
}

// abandoned reports whether a session is over, from its stored state and its last activity.
func (s *sessionMemory) abandoned(st turns.State) bool {
	return s.movedAway(st) || turns.Abandoned(st, purge.LastMove(s.folder, st), time.Now(), proc.Lives)
}

// movedAway reports whether the repository was moved between two turns of a session. The
// session's hooks name the old path and no longer arrive. A path of another container proves nothing.
func (s *sessionMemory) movedAway(st turns.State) bool {
	_, on := s.folder.Turn()
	return !on && st.MainTree && st.PID != 0 && proc.IsHere(st.PIDBegan) && hasLeft(s.Repo, st)
}

// hasLeft reports whether the work tree of a session is no longer at its path.
func hasLeft(s *app.Repo, st turns.State) bool {
	if s.CommonDir == "" {
		return !safefile.IsDir(st.WorkTree)
	}
	return gitdir.HasLeft(s.CommonDir, st.WorkTree)
}

// finishAbandoned checks again under the lock of the session: another process may
// have resumed or finished it.
func (s *sessionMemory) finishAbandoned(ctx context.Context) (rec executor.Record, err error) {
	if err := s.folder.Make(); err != nil {
		return rec, err
	}
	lock, err := s.folder.Lock(ctx, recoverWait, time.Now())
	if err != nil {
		return rec, err
	}
	defer lock.Release()
	st, err := s.state()
	if err != nil {
		return rec, err
	}
	if st.Segment == "" && !st.Ended.IsZero() || !s.abandoned(st) {
		return rec, executor.ErrSegmentOver
	}
	s.ev.At = cmp.Or(purge.LastMove(s.folder, st), time.Now())
	seg, err := s.takeSegment(ctx, &st)
	if err != nil {
		return rec, err
	}
	return s.finishLeft(ctx, seg, &st)
}

// finishLeft ends the segment of a session that is over, and records the segment.
func (s *sessionMemory) finishLeft(ctx context.Context, seg *executor.Segment, st *turns.State) (rec executor.Record, err error) {
	ctx = context.WithoutCancel(ctx) // an entry is written whole or not at all
	s.note(seg.Read(ctx))            // the entry has what was read so far
	how := "the session ended without saying so"
	if s.movedAway(*st) {
		how = "the repository was moved away from the session"
	}
	end := executor.SegmentEnd{At: cmp.Or(seg.Turns().Last, s.ev.At), Remarks: []string{how + "; recorded by a later command"}}
	shown := s.folder.Shown()
	end.Hits, end.Facts = shown.Hits, shown.Facts
	if err := seg.End(end); err != nil {
		return rec, errors.Join(err, seg.Close())
	}
	st.Segment, st.TraceEnd, st.Until, st.PID, st.Ended = "", seg.TraceEnd(), end.At, 0, end.At
	st.Read = seg.Reading()
	s.emptyTrace(st)
	err = errors.Join(s.folder.Save(*st), s.over(time.Now()), s.folder.EndTurn(time.Now()))
	rec = seg.Finish(ctx)
	left := executor.Recovered{ID: rec.Entry.ID, Record: rec} // no process waits for lasting facts
	s.Repo.Degraded("session", append(rec.Degraded, settle.DeferRecovered(s.Repo, left)...))
	return rec, errors.Join(err, rec.RecordError)
}

// over stores that the session ended until a time. The caller has saved the state.
func (s *sessionMemory) over(until time.Time) error {
	if err := s.folder.Unhear(until); err != nil {
		return err
	}
	if _, heard := s.folder.Heard(); heard { // it has begun again
		return nil
	}
	return s.folder.MarkOver()
}

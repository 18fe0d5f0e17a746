package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"agentflow/app"
	"agentflow/app/extract"
	"agentflow/app/recall"
	"agentflow/app/search"
	"agentflow/app/settle"
	"agentflow/app/share"
	"agentflow/app/upkeep"
	"agentflow/app/worktree"
	"agentflow/executor"
	"agentflow/executor/turns"
	"agentflow/gitwatch/reflog"
	"agentflow/gitwatch/reftrace"
	"agentflow/internal/plural"
	"agentflow/internal/proc"
	"agentflow/memory"
	"agentflow/memory/quote"
)

// WorkResult is the outcome of a session event.
type WorkResult struct {
	Entry    string // the id of the entry that was written; empty: none was due, or there was nothing to record
	Degraded []string
}

// sessionWait is how long the work on an event waits for the work on the previous
// event.
const sessionWait = 3 * time.Minute

// saidWait is how long to wait for the agent's last message: the Claude CLI
// writes its file up to a third of a second after it began the hook.
const (
	saidWait = 2 * time.Second
	saidPoll = 20 * time.Millisecond
)

// Work does the work that a hook left: it reads the session's new messages
// and writes the entry that is due.
func Work(ctx context.Context, m *app.Memory, ev Event) (res WorkResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&res.Degraded, &err)
	s, err := openSession(ctx, o, ev)
	if err != nil || s == nil {
		return res, err
	}
	if ev.Slow {
		s.countSlow()
	}
	defer func() {
		lines := ev.Trouble
		if err != nil {
			lines = append(lines, err.Error())
		}
		s.trouble(lines...)
	}()
	if err := s.folder.Make(); err != nil {
		return res, workingFor(ev, err)
	}
	if ev.Watch {
		return res, workingFor(ev, s.watchTrace(ctx))
	}
	s.typedLate(ctx, m)
	lock, err := s.folder.Lock(ctx, sessionWait, time.Now())
	if err != nil {
		return res, workingFor(ev, err)
	}
	rec, err := s.work(ctx)
	err = errors.Join(err, lock.Release())
	if rec.MemoryPath != "" {
		res.Entry = rec.Entry.ID
		s.Repo.Degraded("session", extract.AfterRun(ctx, s.Repo, &rec)) // which takes long, and needs no lock of the session
	}
	if res.Entry != "" || ev.Moment == turns.Ended {
		settle.SettleSoon(ctx, s.Repo) // records the commits that hooks noted
		share.SyncSoon(s.Repo)
	}
	if ev.Moment == turns.Stopped {
		upkeep.ReadPiece(ctx, s.Repo)
	}
	return res, workingFor(ev, err)
}

// trouble records failures that the user can fix, and has the next hook report
// each, once in a session.
func (s *sessionMemory) trouble(lines ...string) {
	s.Repo.Degraded("session", lines)
	for _, line := range lines {
		if err := s.folder.TellOnce(Trouble(line)); err != nil {
			return // status lists it
		}
	}
}

// Trouble returns the line about a failure for the user of a session.
func Trouble(failure string) string {
	return "AgentFlow: " + memory.ShortIDs(failure) + "; 'agentflow doctor' says what to do"
}

// note records a failure without cost for the user: another part of the work makes up for
// it, or only a figure is missing. Status lists the failure, and the session does not show it.
func (s *sessionMemory) note(err error) {
	if err != nil {
		s.Repo.Degraded("session", []string{err.Error()})
	}
}

// countSlow counts a hook that was too slow.
func (s *sessionMemory) countSlow() {
	switch s.ev.Moment {
	case turns.Asked:
		s.note(s.folder.NoteRecall(turns.Recall{At: s.ev.At, Slow: true}))
	case turns.Started:
		recall.CountLate(s.Repo, []string{search.OwnName})
	}
}

// work does one turn of work on the session's state, under its lock.
func (s *sessionMemory) work(ctx context.Context) (rec executor.Record, err error) {
	st, err := s.state()
	if err != nil {
		return rec, err
	}
	moment := s.ev.Moment
	if s.resumed(st) {
		seg, err := s.takeSegment(ctx, &st)
		if err == nil {
			_, err = s.finishLeft(ctx, seg, &st)
		}
		s.note(errors.Join(err, s.storeEvent())) // a resumed session starts again from here
	}
	if s.ev.PID != 0 {
		st.PID, st.PIDBegan = s.ev.PID, s.ev.PIDBegan
	}
	st.Ended = time.Time{}
	s.note(s.folder.MarkOpen())
	seg, err := s.takeSegment(ctx, &st)
	if err != nil {
		return rec, err
	}
	if moment.EndsTurn() && moment.GoesOn() { // by now it may have
		seg.Bound(s.ev.At, s.ev.Trace)
	}
	if s.ev.At.Before(seg.Started()) { // the clock was set back
		s.note(seg.BeginEarlier(s.ev.At.Add(-promptSlack)))
	}
	if err := seg.Follow(ctx, st.Transcript); err != nil {
		s.trouble(err.Error())
	}
	done, err := s.readOn(ctx, seg, &st)
	if err != nil && moment == turns.Ended {
		s.trouble(err.Error()) // the entry has the events that were read before
		err = nil
	}
	if moment.EndsTurn() {
		s.note(s.proposeFromTurns(ctx, seg.ID(), seg.Turns().Asked))
	}
	if err == nil && turns.Due(moment, done) {
		rec, err = s.close(ctx, seg, &st, executor.SegmentEnd{At: s.ev.At})
	} else {
		err = errors.Join(err, s.folder.Save(st), seg.Close())
	}
	if moment.EndsTurn() {
		err = errors.Join(err, s.folder.EndTurn(s.ev.At))
	}
	s.note(reftrace.NewTrimmer(s.folder.Trace()).Trim())
	if moment == turns.Ended {
		st.Ended = s.ev.At
		s.emptyTrace(&st)
		saved := s.folder.Save(st)
		if saved == nil {
			saved = s.over(s.ev.At)
		}
		err = errors.Join(err, saved)
	}
	return rec, err
}

// emptyTrace removes git's trace of a session that is over, once no segment needs it.
func (s *sessionMemory) emptyTrace(st *turns.State) {
	if st.Segment != "" {
		return
	}
	s.note(s.folder.EmptyTrace())
	st.TraceEnd = 0
}

// resumed reports whether a session whose process has ended continues in another process.
func (s *sessionMemory) resumed(st turns.State) bool {
	another := st.PID != s.ev.PID || st.PIDBegan != s.ev.PIDBegan
	return st.Segment != "" && st.PID != 0 && s.ev.PID != 0 && another && !proc.Lives(st.PID, st.PIDBegan)
}

// takeSegment returns the session's open segment, or a new one after the last.
func (s *sessionMemory) takeSegment(ctx context.Context, st *turns.State) (*executor.Segment, error) {
	deps := Deps(ctx, s.Repo)
	if st.WorkTree != "" && st.WorkTree != s.Repo.Worktree { // its folder was removed
		deps.WorkTree, deps.MainTree, deps.Dir = st.WorkTree, st.MainTree, st.WorkTree
		deps.Work = worktree.WorkspaceAt(ctx, s.Repo, st.WorkTree, st.MainTree)
	}
	var before *executor.Segment
	if st.Segment != "" {
		seg, err := executor.TakeSegment(ctx, deps, st.Segment)
		if err == nil {
			seg.TracedIn(s.folder.Trace())
		}
		if err == nil || !errors.Is(err, executor.ErrSegmentOver) {
			return seg, err
		}
		before = executor.OverSegment(deps, st.Segment)
	}
	if err := s.Repo.Store.Folder.Prepare(); err != nil {
		return nil, err
	}
	return s.beginSegment(ctx, deps, st, s.since(deps, st, before), before)
}

// since returns the start of the segment that begins now: the end of the previous
// segment, or else the first event of the session.
func (s *sessionMemory) since(deps executor.Deps, st *turns.State, before *executor.Segment) time.Time {
	if before != nil {
		return before.Ended()
	}
	if since := s.turnStart(deps, st); since.After(st.Until) || st.Until.After(time.Now()) { // the clock was set back
		return since
	}
	return st.Until.Add(time.Millisecond) // as exact as the times of lines
}

// turnStart returns the start of the turn in which the session's first hook arrived.
func (s *sessionMemory) turnStart(deps executor.Deps, st *turns.State) time.Time {
	h, known := s.folder.Heard()
	if !known {
		h = s.eventState()
	}
	switch {
	case h.Amid:
		if asked := executor.LastAsked(deps, st.Agent, st.Transcript, h.At); !asked.IsZero() {
			return asked.Add(-promptSlack)
		}
		return h.At
	case h.Moment == turns.Asked:
		return h.At.Add(-promptSlack)
	default:
		return h.At
	}
}

// promptSlack is how much earlier than its hook a prompt may be dated in the
// agent's file.
const promptSlack = 250 * time.Millisecond

func (s *sessionMemory) beginSegment(ctx context.Context, deps executor.Deps, st *turns.State, since time.Time, before *executor.Segment) (*executor.Segment, error) {
	trace := ""
	if s.folder.Traced() { // otherwise the reflog shows the moved references, as after a killed start hook
		trace = s.folder.Trace()
	}
	seg, err := executor.BeginSegment(ctx, deps, executor.SegmentRequest{
		Agent: st.Agent, Session: st.Session, Transcript: st.Transcript, Trace: trace, TraceFrom: st.TraceEnd, Since: since, Prompt: s.ev.Prompt, Before: before, Read: st.Read,
	})
	if err != nil {
		return nil, err
	}
	st.Segment, st.Acked = seg.ID(), 0
	if err := errors.Join(s.folder.BeginPart(seg.ID(), s.ev.At), s.folder.Save(*st)); err != nil {
		return nil, errors.Join(err, seg.Close()) // the next finds it open
	}
	return seg, nil
}

// readOn reads the agent's new messages, and sums up the open segment.
func (s *sessionMemory) readOn(ctx context.Context, seg *executor.Segment, st *turns.State) (done turns.Done, err error) {
	if err := s.readUntilSaid(ctx, seg); err != nil {
		return done, err
	}
	s.note(seg.Trace())
	sum := seg.Turns()
	moves, _, err := reflog.ReadTrace(seg.Dir())
	s.note(err)
	if news := len(sum.Facts) - st.Acked; news > 0 {
		st.Acked = len(sum.Facts)
		s.note(s.folder.Tell(fmt.Sprintf("AgentFlow remembers %s of this session: %s", plural.Count(news, "fact"), quote.Name(sum.Facts[len(sum.Facts)-1].Text))))
	}
	return turns.Done{Changed: sum.Changed, Committed: len(reflog.MadeBy(moves)) > 0, Facts: len(sum.Facts), Denials: sum.Denials}, nil
}

// readUntilSaid reads until the agent's last message has arrived, a
// moment after its hook.
func (s *sessionMemory) readUntilSaid(ctx context.Context, seg *executor.Segment) error {
	short, cancel := context.WithTimeout(ctx, saidWait)
	defer cancel()
	for {
		if err := seg.Read(ctx); err != nil {
			return err
		}
		if s.ev.Said == "" || seg.Heard(s.ev.Said) {
			return nil
		}
		select {
		case <-short.Done():
			return ctx.Err()
		case <-time.After(saidPoll):
		}
	}
}

// close ends the open segment, begins the next one if the session continues, and
// records the entry.
func (s *sessionMemory) close(ctx context.Context, seg *executor.Segment, st *turns.State, end executor.SegmentEnd) (rec executor.Record, err error) {
	shown := s.folder.Shown()
	end.Hits, end.Facts = shown.Hits, shown.Facts
	if err := seg.End(end); err != nil {
		return rec, errors.Join(err, seg.Close())
	}
	st.Segment, st.TraceEnd, st.Until, st.Read = "", seg.TraceEnd(), end.At, seg.Reading()
	if s.ev.Moment.GoesOn() {
		next, err := s.beginSegment(ctx, Deps(ctx, s.Repo), st, end.At, seg)
		if err == nil {
			err = next.Close()
		}
		s.note(err)
	}
	err = s.folder.Save(*st)
	rec = seg.Finish(ctx)
	s.Repo.Degraded("session", rec.Degraded)
	return rec, errors.Join(err, rec.RecordError)
}

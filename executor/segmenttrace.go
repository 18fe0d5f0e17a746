package executor

import (
	"errors"
	"fmt"
	"time"

	"agentflow/gitwatch/reftrace"
	"agentflow/internal/repofile"
)

// Bound leaves what the session does from a time on to the segment behind this
// one: the prompts after it, and what stands in git's trace beyond an offset.
func (s *Segment) Bound(at time.Time, trace int64) { s.until, s.traceUntil = at, trace }

// TracedIn says where git's trace of the session is now: it moves with the repository.
func (s *Segment) TracedIn(trace string) {
	if j := s.run.journal.Segment; j.Trace != "" {
		j.Trace = trace
	}
}

// copyTrace puts what the part of the session's trace that is this segment's, up
// to an offset, says about moved references into its folder, where Compare looks
// for it.
func (s *Segment) copyTrace(to int64) error {
	j := s.run.journal.Segment
	if j.Trace == "" {
		return nil // so that nobody takes it for one in which nothing moved
	}
	f, err := repofile.Open(j.Trace, repofile.NoLink)
	if err != nil {
		return fmt.Errorf("read the session's trace of references: %w", err)
	}
	defer f.Close()
	from := j.TraceFrom
	if to < from { // it was cut
		from = 0
	}
	out, err := s.run.deps.disk.create(s.run.folder.file(refsFile))
	if err == nil {
		err = errors.Join(reftrace.Copy(out, f, from, to), out.Close())
	}
	if err != nil {
		return fmt.Errorf("copy the session's trace of references: %w", err)
	}
	return nil
}

// Trace copies what git logged of the session until now, or until the bound,
// into the segment's folder.
func (s *Segment) Trace() error { return s.copyTrace(s.traceEnd()) }

// traceEnd is where the segment's part of git's trace ends, in bytes.
func (s *Segment) traceEnd() int64 {
	j := s.run.journal.Segment
	end := sizeOf(j.Trace)
	if !s.until.IsZero() {
		end = min(end, s.traceUntil)
	}
	return end
}

// traceNow is Trace for a snapshot that was taken just now.
func (s *Segment) traceNow() {
	if err := s.Trace(); err != nil {
		s.run.degrade(err.Error())
	}
}

// traceIsCut says whether git's trace of the run lost lines, as it grew too large.
func (r *Begun) traceIsCut() bool {
	f, err := repofile.Open(r.folder.file(refsFile), repofile.NoLink)
	if err != nil {
		return false
	}
	defer f.Close()
	return reftrace.IsCut(f)
}

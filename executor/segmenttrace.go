package executor

import (
	"errors"
	"fmt"
	"time"

	"agentflow/executor/runfolder"
	"agentflow/gitwatch/reftrace"
	"agentflow/internal/safefile"
)

// Bound leaves later events of the session to the next segment: the prompts after a time, and
// the part of git's trace after an offset.
func (s *Segment) Bound(at time.Time, trace int64) { s.until, s.traceUntil = at, trace }

// TracedIn sets the path of git's trace of the session, which moves with the repository.
func (s *Segment) TracedIn(trace string) {
	if j := s.run.journal.Segment; j.Trace != "" {
		j.Trace = trace
	}
}

// copyTrace copies this segment's part of the session's trace, up to an offset, into its
// folder, where Compare reads it. It keeps only lines about moved references.
func (s *Segment) copyTrace(to int64) error {
	j := s.run.journal.Segment
	if j.Trace == "" {
		return nil // an empty file would say that no reference moved
	}
	f, err := safefile.Open(j.Trace, safefile.NoLink)
	if err != nil {
		return fmt.Errorf("read the session's trace of references: %w", err)
	}
	defer f.Close()
	from := j.TraceFrom
	if to < from { // it was truncated
		from = 0
	}
	out, err := s.run.deps.disk.Create(s.run.folder.File(runfolder.RefsFile))
	if err == nil {
		err = errors.Join(reftrace.Copy(out, f, from, to), out.Close())
	}
	if err != nil {
		return fmt.Errorf("copy the session's trace of references: %w", err)
	}
	return nil
}

// Trace copies the segment's part of git's log so far, up to the bound if there is one, into
// the segment's folder.
func (s *Segment) Trace() error { return s.copyTrace(s.traceEnd()) }

// traceEnd returns the offset at which the segment's part of git's trace ends, in bytes.
func (s *Segment) traceEnd() int64 {
	j := s.run.journal.Segment
	end := sizeOf(j.Trace)
	if !s.until.IsZero() {
		end = min(end, s.traceUntil)
	}
	return end
}

// traceNow traces a snapshot that was taken just now.
func (s *Segment) traceNow() {
	if err := s.Trace(); err != nil {
		s.run.degrade(err.Error())
	}
}

// traceIsCut reports whether git's trace of the run lost lines because it grew too large.
func (r *Begun) traceIsCut() bool {
	f, err := safefile.Open(r.folder.File(runfolder.RefsFile), safefile.NoLink)
	if err != nil {
		return false
	}
	defer f.Close()
	return reftrace.IsCut(f)
}

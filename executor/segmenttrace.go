package executor

import (
	"errors"
	"fmt"
	"io"
	"time"

	"agentflow/internal/repofile"
)

// Bound leaves what the session does from a time on to the segment behind this
// one: the prompts after it, and what stands in git's trace beyond an offset.
func (s *Segment) Bound(at time.Time, trace int64) { s.until, s.traceUntil = at, trace }

// copyTrace puts the part of the session's trace that is this segment's, up to
// an offset, into its folder, where Compare looks for it.
func (s *Segment) copyTrace(to int64) error {
	j := s.run.journal.Segment
	target := s.run.folder.file(refsFile)
	if j.Trace == "" {
		return nil // so that nobody takes it for one in which nothing moved
	}
	if to <= j.TraceFrom {
		s.run.write(refsFile, "")
		return nil
	}
	f, err := repofile.Open(j.Trace, repofile.NoLink)
	if err != nil {
		return fmt.Errorf("read the session's trace of references: %w", err)
	}
	defer f.Close()
	out, err := s.run.deps.disk.create(target)
	if err == nil {
		_, err = io.Copy(out, io.NewSectionReader(f, j.TraceFrom, to-j.TraceFrom))
		err = errors.Join(err, out.Close())
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
	return max(j.TraceFrom, end)
}

// traceNow is Trace for a snapshot that was taken just now.
func (s *Segment) traceNow() {
	if err := s.Trace(); err != nil {
		s.run.degrade(err.Error())
	}
}

package executor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"agentflow/executor/runfolder"
	"agentflow/executor/summary"
	"agentflow/memory"

	"github.com/google/uuid"
)

// A session that AgentFlow did not start becomes entries in segments. Each segment covers some
// turns, and is a run folder that no process holds for long. Hooks of the session and later
// commands take the segment, read what the agent wrote into its session file since then, and
// finish the segment when its entry is due.

// SegmentRequest describes the beginning of a segment.
type SegmentRequest struct {
	Agent      string // its name
	Session    string // the agent's id of the session
	Transcript string // the agent's file of the session; absolute
	Trace      string // the file in which git logs the references that the session moves; absolute; empty: there is none
	TraceFrom  int64  // the offset of the segment's part of Trace, in bytes, unless Before has it
	// Since is when the segment began. Earlier events of the session belong to
	// another segment.
	Since time.Time
	// Prompt is the prompt that begins the segment, as the user wrote it, or empty if none
	// does. Only its hash is kept.
	Prompt string
	// Before is the previous segment of the session. If it is nil, events before Since in the
	// agent's files are skipped.
	Before *Segment
	// Read is how far the previous segments read the agent's files, if Before is nil. It is nil
	// if that is unknown.
	Read *runfolder.Reading
}

// Segment is a part of a session, with the lock of its folder. Its methods must not be called
// concurrently. Finish or Close is the last call.
type Segment struct {
	run   *Begun
	at    runfolder.Reading
	own   bool   // events of this segment were read
	heard string // the agent's last message that Read found, unchanged

	until      time.Time // set by Bound; zero: none
	traceUntil int64     // set by Bound, in bytes
}

// BeginSegment makes the folder of a segment and takes the snapshot of the work tree. If it
// returns an error, there is no segment.
func BeginSegment(ctx context.Context, deps Deps, req SegmentRequest) (*Segment, error) {
	deps = deps.withDefaults()
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("begin a segment: make its id: %w", err)
	}
	r := &Begun{ID: id.String(), deps: deps, summary: summary.NewDialog(nil)}
	r.summary.Extract = r.extractor()
	if r.folder, err = runfolder.New(ctx, deps.disk, filepath.Join(deps.RunsDir, r.ID), deps.Now()); err != nil {
		return nil, fmt.Errorf("begin a segment: %w", err)
	}
	r.Dir = r.folder.Dir
	r.journal = runfolder.Journal{
		Version: runfolder.JournalVersion, ID: r.ID, Stage: runfolder.StageBegun, Agent: req.Agent, Title: summary.NoPromptYet, WorkTree: deps.WorkTree, MainTree: deps.MainTree, Dir: deps.Dir,
		Started: req.Since.Truncate(time.Millisecond),
		Segment: &runfolder.Segment{Session: req.Session, Transcript: req.Transcript, Trace: req.Trace},
	}
	if req.Prompt != "" {
		r.journal.Segment.Asked = hashOf(strings.TrimSpace(req.Prompt))
	}
	s := &Segment{run: r}
	if before := req.Before; before != nil {
		s.at = before.at.Clone()
		r.journal.Segment.From, r.journal.Segment.TraceFrom = &before.at, before.run.journal.Segment.TraceTo
	} else {
		r.journal.Segment.TraceFrom = req.TraceFrom
		if req.Read != nil {
			s.at = req.Read.Clone()
			r.journal.Segment.From, r.journal.Segment.Resumed = req.Read, true
		}
	}
	r.snapshot(ctx, req.Since, s.traceNow)
	if err := r.journal.Write(deps.disk, r.Dir); err != nil {
		r.abandon()
		return nil, fmt.Errorf("begin a segment: %w", err)
	}
	return s, nil
}

// ErrSegmentOver reports a segment that is not open any more: it was finished, or its folder was
// removed.
var ErrSegmentOver = errors.New("the segment is over")

// TakeSegment returns an open segment. While another process has it, TakeSegment waits until
// the context ends, but no longer than segmentWait.
func TakeSegment(ctx context.Context, deps Deps, id string) (*Segment, error) {
	deps = deps.withDefaults()
	if !memory.IsID(id) { // it becomes part of a path
		return nil, ErrSegmentOver
	}
	r, err := load(ctx, deps, filepath.Join(deps.RunsDir, id), segmentWait)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrSegmentOver
	}
	if err != nil {
		return nil, fmt.Errorf("take up segment %s: %w", memory.ShortID(id), err)
	}
	s := &Segment{run: r}
	if r.journal.Segment == nil || r.journal.Stage != runfolder.StageBegun {
		return nil, errors.Join(ErrSegmentOver, s.Close())
	}
	s.readPositions()
	return s, nil
}

// OverSegment returns a segment that has ended, as the Before of the next one. It returns nil
// if the segment is unknown. The result is not locked, and has no other use.
func OverSegment(deps Deps, id string) *Segment {
	if !memory.IsID(id) {
		return nil
	}
	r := &Begun{ID: id, deps: deps.withDefaults(), folder: runfolder.Folder{Dir: filepath.Join(deps.RunsDir, id)}}
	var err error
	if r.journal, err = runfolder.ReadJournal(r.folder.Dir); err != nil || r.journal.Segment == nil || r.journal.Stage == runfolder.StageBegun {
		return nil
	}
	p, err := readPositions(r.folder.File(positionsFile))
	if err == nil {
		return &Segment{run: r, at: p.Reading}
	}
	return &Segment{run: r, at: before(r.journal.Segment)}
}

// Ended returns when the segment ended, or zero if it is open.
func (s *Segment) Ended() time.Time { return s.run.journal.Ended }

// segmentWait limits TakeSegment's wait for another process that has the segment: longer
// than computing and recording a change set takes.
const segmentWait = compareLimit + recordLimit

// ID returns the id of the segment's entry.
func (s *Segment) ID() string { return s.run.ID }

// Dir returns the segment's folder.
func (s *Segment) Dir() string { return s.run.Dir }

// Started returns when the segment began.
func (s *Segment) Started() time.Time { return s.run.journal.Started }

// Close unlocks the segment, which stays open for the next process that takes it.
func (s *Segment) Close() error { return s.run.Close() }

// TraceEnd returns the offset up to which this segment and the previous ones cover the
// session's trace, in bytes. It is valid once the segment has ended.
func (s *Segment) TraceEnd() int64 { return s.run.journal.Segment.TraceTo }

// Reading returns how far this segment and the previous ones read the agent's files.
func (s *Segment) Reading() *runfolder.Reading {
	at := s.at.Clone()
	return &at
}

// Degraded returns a line for each part that failed.
func (s *Segment) Degraded() []string { return s.run.journal.Degraded }

// SegmentEnd describes the end of a segment.
type SegmentEnd struct {
	At      time.Time // of its last turn; later events of the session belong to the next segment
	Remarks []string
	Hits    []runfolder.RecalledItem // the entries that its turns were given
	Facts   []runfolder.RecalledItem // of MEMORY.md
}

// End marks the segment as over. Its entry will be written even if this process dies. Other
// segments may begin after it.
func (s *Segment) End(end SegmentEnd) error {
	r := s.run
	j := &r.journal
	j.Segment.TraceTo = s.traceEnd()
	if err := s.copyTrace(j.Segment.TraceTo); err != nil {
		r.degrade(err.Error())
	}
	j.Title, j.Task, _ = r.summary.Asked(j.WorkTree)
	j.Hits, j.Facts = end.Hits, end.Facts
	j.Stage, j.Ended, j.End = runfolder.StageEnded, end.At.Truncate(time.Millisecond), &runfolder.Ending{Remarks: end.Remarks}
	if err := j.Write(r.deps.disk, r.Dir); err != nil {
		j.Stage, j.End = runfolder.StageBegun, nil
		return fmt.Errorf("end segment %s: %w", memory.ShortID(r.ID), err)
	}
	return nil
}

// Finish finds the changes of a segment that has ended, and records its entry. For a segment
// without content it removes the folder, and MemoryPath of the record is empty. It unlocks the
// folder.
func (s *Segment) Finish(ctx context.Context) Record { return s.run.Finish(ctx) }

// OpenSegment is a segment that has not ended.
type OpenSegment struct {
	ID       string
	Agent    string
	Session  string
	WorkTree string
	Dir      string // the folder in which the session was started
}

// OpenSegments lists the segments in runsDir that have not ended, oldest first.
func OpenSegments(runsDir string) []OpenSegment { return segments(runsDir, isOpenSegment) }

// UnrecordedSegments lists the segments in runsDir without an entry, oldest first. Some may have ended.
func UnrecordedSegments(runsDir string) []OpenSegment {
	return segments(runsDir, func(j runfolder.Journal) bool { return j.Segment != nil })
}

func segments(runsDir string, meets func(runfolder.Journal) bool) (list []OpenSegment) {
	for _, id := range IDs(runsDir) {
		dir := filepath.Join(runsDir, id)
		if runfolder.IsRecorded(dir) {
			continue
		}
		if j, err := runfolder.ReadJournal(dir); err == nil && meets(j) {
			list = append(list, openSegment(id, j))
		}
	}
	return list
}

func openSegment(id string, j runfolder.Journal) OpenSegment {
	return OpenSegment{ID: id, Agent: j.Agent, Session: j.Segment.Session, WorkTree: j.WorkTree, Dir: j.Dir}
}

// catchUp reads the new events of an open segment's session, unless another process holds the
// segment.
func catchUp(ctx context.Context, deps Deps, id string) {
	r, err := load(ctx, deps, filepath.Join(deps.RunsDir, id), takeWait)
	if err != nil {
		return
	}
	s := &Segment{run: r}
	s.readPositions()
	if err := s.Read(ctx); err != nil {
		r.degrade(err.Error())
	}
	s.Close()
}

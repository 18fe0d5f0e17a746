package executor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"agentflow/memory"

	"github.com/google/uuid"
)

// A session of an agent that somebody else started becomes entries in segments:
// each covers some turns, and is a run folder that no process holds. Hooks
// of the session and later commands take it up, read what the agent wrote of the
// session since, and finish it when its entry is due.

// SegmentRequest is the beginning of a segment.
type SegmentRequest struct {
	Agent      string // its name
	Session    string // the agent's id of the session
	Transcript string // the agent's own file of it; absolute
	Trace      string // where git logs the references that the session moves; absolute; empty: nowhere
	TraceFrom  int64  // where the segment's part of it begins, in bytes, unless Before says that
	// Since is when the segment began. Earlier events of the session belong to
	// another segment.
	Since time.Time
	// Prompt is the prompt that begins the segment, as the user wrote it; empty:
	// none does. Only its hash is kept.
	Prompt string
	// Before is the segment of the session that this one follows; nil: events
	// before Since in the agent's files are skipped.
	Before *Segment
	// Read is how far the segments before read the agent's files, where Before is nil; nil
	// where that is not known.
	Read *Reading
}

// Segment is a part of a session, with the lock of its folder. Its methods are
// called one after another; Finish or Close is the last.
type Segment struct {
	run   *Begun
	at    Reading
	own   bool   // events of the segment's own were read
	heard string // the agent's last message that Read found, unchanged

	until      time.Time // of Bound; zero: none
	traceUntil int64     // of Bound, in bytes
}

// BeginSegment makes the folder of a segment and takes the snapshot of the work
// tree. An error says that there is no segment.
func BeginSegment(ctx context.Context, deps Deps, req SegmentRequest) (*Segment, error) {
	deps = deps.withDefaults()
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("begin a segment: make its id: %w", err)
	}
	r := &Begun{ID: id.String(), deps: deps, summary: newSegmentSummary(nil)}
	r.summary.extract = r.extractor()
	if r.folder, err = newFolder(ctx, deps, r.ID); err != nil {
		return nil, fmt.Errorf("begin a segment: %w", err)
	}
	r.Dir = r.folder.dir
	r.journal = journal{
		Version: journalVersion, ID: r.ID, Stage: stageBegun, Agent: req.Agent, Title: noPromptYet, WorkTree: deps.WorkTree, MainTree: deps.MainTree, Dir: deps.Dir,
		Started: req.Since.Truncate(time.Millisecond),
		Segment: &segment{Session: req.Session, Transcript: req.Transcript, Trace: req.Trace},
	}
	if req.Prompt != "" {
		r.journal.Segment.Asked = hashOf(strings.TrimSpace(req.Prompt))
	}
	s := &Segment{run: r}
	if before := req.Before; before != nil {
		s.at = before.at.clone()
		r.journal.Segment.From, r.journal.Segment.TraceFrom = &before.at, before.run.journal.Segment.TraceTo
	} else {
		r.journal.Segment.TraceFrom = req.TraceFrom
		if req.Read != nil {
			s.at = req.Read.clone()
			r.journal.Segment.From, r.journal.Segment.Resumed = req.Read, true
		}
	}
	r.snapshot(ctx, req.Since, s.traceNow)
	if err := r.journal.write(deps.disk, r.Dir); err != nil {
		r.abandon()
		return nil, fmt.Errorf("begin a segment: %w", err)
	}
	return s, nil
}

// noPromptYet is the title of a segment until its first prompt is read.
const noPromptYet = "a session"

func sizeOf(name string) int64 {
	if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() {
		return info.Size()
	}
	return 0
}

// ErrSegmentOver is matched when a segment is not open any more: it was
// finished, or its folder is gone.
var ErrSegmentOver = errors.New("the segment is over")

// TakeSegment takes up a segment that is open. It waits for another process
// that has it, as long as the context lasts.
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
	if r.journal.Segment == nil || r.journal.Stage != stageBegun {
		return nil, errors.Join(ErrSegmentOver, s.Close())
	}
	s.readPositions()
	return s, nil
}

// OverSegment is a segment that was ended, for another to begin behind it; nil
// where nothing is known of it any more. It is not locked, and good for nothing else.
func OverSegment(deps Deps, id string) *Segment {
	if !memory.IsID(id) {
		return nil
	}
	r := &Begun{ID: id, deps: deps.withDefaults(), folder: folder{dir: filepath.Join(deps.RunsDir, id)}}
	var err error
	if r.journal, err = readJournal(r.folder.dir); err != nil || r.journal.Segment == nil || r.journal.Stage == stageBegun {
		return nil
	}
	p, err := readPositions(r.folder.file(positionsFile))
	if err == nil {
		return &Segment{run: r, at: p.Reading}
	}
	return &Segment{run: r, at: r.journal.Segment.before()}
}

// Ended is when the segment ended; zero for one that is open.
func (s *Segment) Ended() time.Time { return s.run.journal.Ended }

// segmentWait is how long another process that has a segment is waited for:
// longer than it takes to work out and record a change set.
const segmentWait = compareLimit + recordLimit

// ID is the id of the segment's entry.
func (s *Segment) ID() string { return s.run.ID }

// Dir is the segment's folder.
func (s *Segment) Dir() string { return s.run.Dir }

// Started is when the segment began.
func (s *Segment) Started() time.Time { return s.run.journal.Started }

// Close lets go of the segment; it stays open for whoever takes it up next.
func (s *Segment) Close() error { return s.run.Close() }

// TraceEnd is how much of the session's trace the segment and those before it
// cover, in bytes, once it has ended.
func (s *Segment) TraceEnd() int64 { return s.run.journal.Segment.TraceTo }

// Reading is how far the segment and those before it read the agent's files.
func (s *Segment) Reading() *Reading {
	at := s.at.clone()
	return &at
}

// Degraded has a line for each part that did not work.
func (s *Segment) Degraded() []string { return s.run.journal.Degraded }

// SegmentEnd is how a segment ends.
type SegmentEnd struct {
	At      time.Time // of its last turn; what the session does later is the next segment's
	Remarks []string
	Hits    []RecalledItem // the memory that its turns were given
	Facts   []RecalledItem // of MEMORY.md
}

// End marks the segment as over. Whatever happens to this process from now
// on, its entry will be written. Other segments may begin behind it.
func (s *Segment) End(end SegmentEnd) error {
	r := s.run
	j := &r.journal
	j.Segment.TraceTo = s.traceEnd()
	if err := s.copyTrace(j.Segment.TraceTo); err != nil {
		r.degrade(err.Error())
	}
	j.Title, j.Task, _ = r.summary.asked()
	j.Hits, j.Facts = end.Hits, end.Facts
	j.Stage, j.Ended, j.End = stageEnded, end.At.Truncate(time.Millisecond), &ending{Remarks: end.Remarks}
	if err := j.write(r.deps.disk, r.Dir); err != nil {
		j.Stage, j.End = stageBegun, nil
		return fmt.Errorf("end segment %s: %w", memory.ShortID(r.ID), err)
	}
	return nil
}

// Finish works out what a segment that was ended changed, and records its
// entry. A segment that says nothing has none: its folder is removed, and
// MemoryPath of the record is empty. The folder is unlocked.
func (s *Segment) Finish(ctx context.Context) Record { return s.run.Finish(ctx) }

// isOpenSegment says whether the run in a folder is a segment that was not
// ended yet.
func isOpenSegment(j journal) bool { return j.Segment != nil && j.Stage == stageBegun }

// OpenSegment is a segment that was not ended.
type OpenSegment struct {
	ID       string
	Agent    string
	Session  string
	WorkTree string
	Dir      string // where the session was started
}

// OpenSegments lists the segments in runsDir that were not ended, oldest first.
func OpenSegments(runsDir string) (open []OpenSegment) {
	for _, id := range IDs(runsDir) {
		dir := filepath.Join(runsDir, id)
		if isRecorded(dir) {
			continue
		}
		if j, err := readJournal(dir); err == nil && isOpenSegment(j) {
			open = append(open, OpenSegment{ID: id, Agent: j.Agent, Session: j.Segment.Session, WorkTree: j.WorkTree, Dir: j.Dir})
		}
	}
	return open
}

// catchUp reads what an open segment's session did until now, unless another
// process is just doing so.
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

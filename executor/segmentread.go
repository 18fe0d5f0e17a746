package executor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/executor/agent"
	"agentflow/executor/runfolder"
	"agentflow/executor/summary"
	"agentflow/internal/atomicfile"
	"agentflow/internal/safefile"
)

// positionsFile records, in a segment's folder, how far the agent's files were read, and
// the size of events.jsonl at that time. Later events in that file were written by a process
// that was killed, and are read again.
const positionsFile = "read.json"

type positions struct {
	Events int64 `json:"events"`
	Own    bool  `json:"own,omitempty"` // some of the events belong to the segment
	runfolder.Reading
}

// fit reports whether the positions can be right for an events file of this size, in bytes.
func (p positions) fit(events int64) bool {
	for _, at := range p.Files {
		if at < 0 {
			return false
		}
	}
	return 0 <= p.Events && p.Events <= events
}

// maxPositions limits positionsFile, in bytes: it has room for a session with thousands of
// subagents.
const maxPositions = 4 << 20

// readPositions restores the positions that the last process reached. If they are unknown,
// everything is read again.
func (s *Segment) readPositions() {
	r := s.run
	size := sizeOf(r.folder.File(runfolder.EventsFile))
	p, err := readPositions(r.folder.File(positionsFile))
	if err != nil || !p.fit(size) {
		p = positions{Reading: before(r.journal.Segment)}
	}
	s.at, s.own = p.Reading, p.Own
	if size == p.Events {
		return
	}
	// The summary holds events that will be read again.
	r.summary = summary.NewDialog(r.extractor())
	if err := s.cutEvents(p.Events); err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.degrade(fmt.Sprintf("take back unfinished events of the session: %v", err))
	}
	r.readEvents()
}

// before returns how far the part before this one read the agent's files.
func before(s *runfolder.Segment) runfolder.Reading {
	if s.From == nil {
		return runfolder.Reading{}
	}
	return s.From.Clone()
}

// follows reports whether the part before this one ended where this one begins.
func follows(s *runfolder.Segment) bool { return s.From != nil && !s.Resumed }

// Heard reports whether message ends with the agent's last message that Read found.
func (s *Segment) Heard(message string) bool {
	return s.heard != "" && strings.HasSuffix(strings.TrimSpace(message), s.heard)
}

func readPositions(name string) (p positions, err error) {
	data, err := safefile.Read(name, safefile.NoLink, maxPositions)
	if err == nil {
		err = json.Unmarshal(data, &p)
	}
	return p, err
}

func (s *Segment) cutEvents(size int64) error {
	f, err := s.run.deps.disk.Extend(s.run.folder.File(runfolder.EventsFile))
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(size), f.Close())
}

// Read reads the events that the agent added to its files of the session since the last call.
// It skips events from before the segment began, and leaves an unfinished line for the next
// call.
func (s *Segment) Read(ctx context.Context) error {
	decoder := s.run.deps.Transcript
	if decoder == nil {
		return nil
	}
	var batches [][]agent.Event
	news, own := map[string]int64{}, s.own
	main := s.run.journal.Segment.Transcript
	for _, file := range transcripts(main) {
		from, replaced := s.at.Place(file)
		read, found, err := readLines(file, from, s.at.Last, withoutEdits{decoder(s.run.journal.Agent)}, s.isLater)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read the agent's own file of the session: %w", err)
		}
		if read > 0 {
			news[file] = from + read
		}
		if replaced || from == 0 && file == main { // the session's file may have moved
			found = s.at.News(found)
		}
		found, begun := s.ownOf(found)
		batches, own = append(batches, found), own || begun
	}
	if len(news) == 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	events := merged(batches)
	size, err := s.store(events)
	if err != nil {
		return err
	}
	for file, at := range news {
		s.at.Reached(file, at)
	}
	s.own = own
	s.at.Passed(events, s.run.deps.Now())
	for _, ev := range events {
		if ev.Kind == agent.Said {
			s.heard = strings.TrimSpace(ev.Text)
		}
	}
	data, err := json.Marshal(positions{size, s.own, s.at})
	if err == nil {
		err = atomicfile.WriteTo(s.run.deps.disk, s.run.folder.File(positionsFile), data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("note how far the session was read: %w", err)
	}
	return nil
}

// Follow reads the rest of the agent's file of the session, and continues with transcript if
// that is another file.
func (s *Segment) Follow(ctx context.Context, transcript string) error {
	j := &s.run.journal
	if transcript == "" || transcript == j.Segment.Transcript {
		return nil
	}
	left := s.Read(ctx) // the old file may not exist any more
	j.Segment.Transcript = transcript
	return errors.Join(left, j.Write(s.run.deps.disk, s.run.Dir))
}

// LastAsked returns when the user sent the last prompt before a time, according to the agent's
// file of a session. It returns the zero time if that is unknown.
func LastAsked(deps Deps, agentName, transcript string, before time.Time) (at time.Time) {
	if deps.Transcript == nil || transcript == "" {
		return at
	}
	_, events, err := readLines(transcript, 0, time.Time{}, withoutEdits{deps.Transcript(agentName)}, nil)
	if err != nil {
		return at
	}
	for _, ev := range events {
		if ev.Kind == agent.Asked && ev.Time.After(at) && ev.Time.Before(before) {
			at = ev.Time
		}
	}
	return at
}

// transcripts returns the agent's files of a session: the main one, and those of its subagents
// next to it, as the Claude CLI keeps them.
func transcripts(main string) []string {
	files := []string{main}
	dir := filepath.Join(strings.TrimSuffix(main, ".jsonl"), "subagents")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return files
	}
	for _, e := range entries[:min(len(entries), maxSubagents)] {
		if strings.HasSuffix(e.Name(), ".jsonl") && e.Type().IsRegular() {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files
}

// maxSubagents limits the number of subagents' files that are read for one session.
const maxSubagents = 1000

// isLater reports whether an event begins a turn after the segment's bound. It ignores events
// from the future, which come from a clock that was set back since.
func (s *Segment) isLater(ev agent.Event) bool {
	return ev.Kind == agent.Asked && !s.until.IsZero() && ev.Time.After(s.until) && !ev.Time.After(s.run.deps.Now())
}

// store redacts events and adds them to the segment's file. It returns the size of that file,
// in bytes.
func (s *Segment) store(events []agent.Event) (size int64, err error) {
	r := s.run
	f, err := r.deps.disk.Extend(r.folder.File(runfolder.EventsFile))
	if err != nil {
		return 0, fmt.Errorf("open the events of the session: %w", err)
	}
	log := &runfolder.EventLog{F: f, Limit: runfolder.MaxEvents}
	if log.Size, err = f.Seek(0, io.SeekEnd); err != nil {
		return 0, errors.Join(fmt.Errorf("open the events of the session: %w", err), f.Close())
	}
	st := newEventStore(r.deps, log, r.summary, r.degrade)
	st.past = true
	for _, ev := range events {
		if ev.Kind != agent.Activity {
			st.add(ev)
		}
	}
	size, err = log.Size, errors.Join(log.Err, f.Sync())
	st.close(nil)
	if err != nil {
		return 0, fmt.Errorf("write the events of the session: %w", err)
	}
	return size, nil
}

// ownOf drops the events of a file that the session had before AgentFlow began to read it. A
// file may begin with a copy of another session, and a line with a time of this segment may
// precede the segment. The first prompt with a time of this segment begins it. All later events
// in the file belong to it, even if the clock was set back.
func (s *Segment) ownOf(events []agent.Event) (own []agent.Event, begun bool) {
	if s.own || follows(s.run.journal.Segment) {
		return events, true
	}
	for _, ev := range events {
		begins := s.begins(ev)
		begun = begun || begins && ev.Kind == agent.Asked
		if begun || begins || ev.Time.IsZero() {
			own = append(own, ev)
		}
	}
	return own, begun
}

// BeginEarlier moves the beginning of a segment without events to an earlier time, for example
// when the clock was set back. A segment that follows another one does not need that.
func (s *Segment) BeginEarlier(at time.Time) error {
	j := &s.run.journal
	if s.own || follows(j.Segment) {
		return nil
	}
	j.Started = at.Truncate(time.Millisecond)
	return j.Write(s.run.deps.disk, s.run.Dir)
}

// begins reports whether an event has a time in the segment, or is the prompt that began it.
func (s *Segment) begins(ev agent.Event) bool {
	j := s.run.journal
	asked := ev.Kind == agent.Asked && j.Segment.Asked != "" && hashOf(strings.TrimSpace(ev.Text)) == j.Segment.Asked && j.Started.Sub(ev.Time) < maxPromptLag
	return asked || !ev.Time.Before(j.Started)
}

// maxPromptLag limits the time from a prompt in the agent's file to its hook.
const maxPromptLag = time.Minute

// merged orders events of several files by time. It keeps the order within each file, because
// the clock may have been set back.
func merged(batches [][]agent.Event) []agent.Event {
	type dated struct {
		agent.Event
		by time.Time // the latest time so far in its file
	}
	var all []dated
	for _, events := range batches {
		var by time.Time
		for _, ev := range events {
			if ev.Time.After(by) {
				by = ev.Time
			}
			all = append(all, dated{ev, by})
		}
	}
	slices.SortStableFunc(all, func(a, b dated) int { return a.by.Compare(b.by) })
	events := make([]agent.Event, 0, len(all))
	for _, d := range all {
		events = append(events, d.Event)
	}
	return events
}

package runfolder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"agentflow/executor/agent"
)

// Limits of events.jsonl, in bytes. Beyond maxEvents only the final result is written, and a
// later one overwrites it. So the file never exceeds maxEvents + resultRoom and never lacks its
// last line.
const (
	MaxEvents  = 64<<20 - ResultRoom
	ResultRoom = 512 << 10
)

// EventLog writes events to events.jsonl, one JSON object a line. A failed write ends the log,
// never the run.
type EventLog struct {
	F       LogFile
	Size    int64
	Limit   int64
	Dropped int
	Err     error
}

// OpenEventLog opens the file of a run's events, and empties it.
func OpenEventLog(d Disk, name string) (*EventLog, error) {
	f, err := d.Create(name)
	if err != nil {
		return nil, fmt.Errorf("open the run's events: %w", err)
	}
	return &EventLog{F: f, Limit: MaxEvents}, nil
}

// Add writes one event. It returns the first error, and drops events after it.
func (l *EventLog) Add(ev agent.Event) error {
	if l.F == nil || l.Err != nil {
		return nil
	}
	line, err := EventLine(ev)
	if err != nil {
		return fmt.Errorf("encode an event of the run: %w", err)
	}
	full := l.Size+int64(len(line)) > l.Limit
	if full && ev.Kind != agent.Result {
		l.Dropped++
		return nil
	}
	if full { // a result replaces an earlier one after the full log
		l.Limit = 0
		_, err = l.F.Seek(l.Size, io.SeekStart)
		if err == nil {
			err = l.F.Truncate(l.Size)
		}
	}
	if err == nil {
		_, err = l.F.Write(line)
	}
	if err != nil {
		return l.fail(err)
	}
	if !full {
		l.Size += int64(len(line))
	}
	return nil
}

// fail removes a half-written line, so that the rest can be read.
func (l *EventLog) fail(err error) error {
	l.Err = fmt.Errorf("write the run's events: %w", err)
	return errors.Join(l.Err, l.F.Truncate(l.Size))
}

// Close ends the log. It returns no error if Add returned one.
func (l *EventLog) Close() error {
	if l.F == nil {
		return nil
	}
	err := l.F.Close()
	l.F = nil
	if err != nil && l.Err == nil {
		return fmt.Errorf("close the run's events: %w", err)
	}
	return nil
}

// EventLine returns an event as a line of JSON.
func EventLine(ev agent.Event) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(ev)
	return buf.Bytes(), err
}

// ReadEvents calls each for every event of an events file. It counts and skips lines that are
// cut or damaged.
func ReadEvents(r io.Reader, each func(agent.Event)) (damaged int, err error) {
	var lines agent.Lines
	take := func(line []byte, huge bool) {
		var ev agent.Event
		if len(bytes.TrimSpace(line)) == 0 && !huge {
			return
		}
		if huge || json.Unmarshal(line, &ev) != nil || ev.Kind == "" {
			damaged++
			return
		}
		each(ev)
	}
	chunk := make([]byte, 64<<10)
	for {
		n, err := r.Read(chunk)
		lines.Feed(chunk[:n], take)
		if errors.Is(err, io.EOF) {
			take(lines.Rest(), false)
			return damaged, nil
		}
		if err != nil {
			return damaged, fmt.Errorf("read the run's events: %w", err)
		}
	}
}

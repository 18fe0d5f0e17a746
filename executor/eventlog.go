package executor

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
	maxEvents  = 64<<20 - resultRoom
	resultRoom = 512 << 10
)

// eventLog writes events to events.jsonl, one JSON object a line. A failed write ends the log,
// never the run.
type eventLog struct {
	f       logFile
	size    int64
	limit   int64
	dropped int
	err     error
}

func openEventLog(d disk, name string) (*eventLog, error) {
	f, err := d.create(name)
	if err != nil {
		return nil, fmt.Errorf("open the run's events: %w", err)
	}
	return &eventLog{f: f, limit: maxEvents}, nil
}

// add writes one event. It returns the first error, and drops events after it.
func (l *eventLog) add(ev agent.Event) error {
	if l.f == nil || l.err != nil {
		return nil
	}
	line, err := eventLine(ev)
	if err != nil {
		return fmt.Errorf("encode an event of the run: %w", err)
	}
	full := l.size+int64(len(line)) > l.limit
	if full && ev.Kind != agent.Result {
		l.dropped++
		return nil
	}
	if full { // a result replaces an earlier one after the full log
		l.limit = 0
		_, err = l.f.Seek(l.size, io.SeekStart)
		if err == nil {
			err = l.f.Truncate(l.size)
		}
	}
	if err == nil {
		_, err = l.f.Write(line)
	}
	if err != nil {
		return l.fail(err)
	}
	if !full {
		l.size += int64(len(line))
	}
	return nil
}

// fail removes a half-written line, so that the rest can be read.
func (l *eventLog) fail(err error) error {
	l.err = fmt.Errorf("write the run's events: %w", err)
	return errors.Join(l.err, l.f.Truncate(l.size))
}

func (l *eventLog) close() error {
	if l.f == nil {
		return nil
	}
	err := l.f.Close()
	l.f = nil
	if err != nil && l.err == nil {
		return fmt.Errorf("close the run's events: %w", err)
	}
	return nil
}

func eventLine(ev agent.Event) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(ev)
	return buf.Bytes(), err
}

// readEvents calls each for every event of an events file. It counts and skips lines that are
// cut or damaged.
func readEvents(r io.Reader, each func(agent.Event)) (damaged int, err error) {
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

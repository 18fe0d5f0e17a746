package agent

import (
	"bytes"
	"encoding/json"
	"errors"
)

// LineReader is the part of a Decoder that all agents share whose output is one
// JSON object a line. Other lines, and those longer than MaxLine, are Activity.
type LineReader struct {
	// Object returns the events of one object. It must not keep line.
	Object func(line []byte) []Event

	lines Lines
}

// Feed is that of a Decoder.
func (r *LineReader) Feed(p []byte) []Event {
	var events []Event
	r.lines.Feed(p, func(line []byte, huge bool) {
		if huge {
			events = append(events, Event{Kind: Activity})
			return
		}
		events = append(events, r.line(line)...)
	})
	return events
}

// Close is that of a Decoder.
func (r *LineReader) Close() []Event {
	rest := r.lines.Rest()
	r.lines = Lines{}
	return r.line(rest)
}

func (r *LineReader) line(line []byte) []Event {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return nil
	}
	if line[0] == '{' {
		if events := r.Object(line); len(events) > 0 {
			return events
		}
	}
	return []Event{{Kind: Activity}}
}

// Loosely reads JSON as json.Unmarshal does, and says whether it is JSON. A field
// of another type than expected leaves the others readable.
func Loosely(data []byte, into any) bool {
	err := json.Unmarshal(data, into)
	var mismatch *json.UnmarshalTypeError
	return err == nil || errors.As(err, &mismatch)
}

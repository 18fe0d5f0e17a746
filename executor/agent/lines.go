package agent

import (
	"bytes"
	"encoding/json"
	"errors"
)

// LineReader is the common part of the Decoders that read one JSON object a line. Other lines,
// and those longer than MaxLine, are Activity.
type LineReader struct {
	// Object returns the events of one object. It must not keep line.
	Object func(line []byte) []Event

	lines Lines
}

// Feed implements Decoder.
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

// Close implements Decoder.
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

// Loosely decodes JSON as json.Unmarshal does, and reports whether data is JSON. A field of an
// unexpected type does not affect the others.
func Loosely(data []byte, into any) bool {
	err := json.Unmarshal(data, into)
	var mismatch *json.UnmarshalTypeError
	return err == nil || errors.As(err, &mismatch)
}

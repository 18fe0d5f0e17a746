package terminal

import (
	"bytes"
	"fmt"
	"io"
	"sync"
)

// Prefixed writes whole lines with a prefix, so that the output of several
// agents can be distinguished.
type Prefixed struct {
	To     io.Writer
	Prefix string
	Clean  func(line string) string // makes a line printable

	mu   sync.Mutex
	rest []byte // the unfinished line
}

// maxRest limits an unfinished line, in bytes.
const maxRest = 8 << 10

// Write writes the finished lines and keeps the rest.
func (w *Prefixed) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rest = append(w.rest, p...)
	for {
		end := bytes.IndexByte(w.rest, '\n')
		if end < 0 && len(w.rest) < maxRest {
			return len(p), nil
		}
		line := w.rest
		if end >= 0 {
			line = w.rest[:end]
		}
		fmt.Fprintf(w.To, "%s%s\n", w.Prefix, w.Clean(string(line)))
		w.rest = w.rest[min(len(line)+1, len(w.rest)):]
	}
}

// End writes the unfinished line, if there is one.
func (w *Prefixed) End() {
	w.mu.Lock()
	open := len(w.rest) > 0
	w.mu.Unlock()
	if open {
		_, _ = w.Write([]byte{'\n'})
	}
}

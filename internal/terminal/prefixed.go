package terminal

import (
	"bytes"
	"fmt"
	"io"
	"sync"
)

// Prefixed passes on whole lines with a prefix before each, so that the
// output of several agents stays apart.
type Prefixed struct {
	To     io.Writer
	Prefix string
	Clean  func(line string) string // makes a line printable

	mu   sync.Mutex
	rest []byte // of a line that has not ended
}

// maxRest bounds a line that has not ended, in bytes.
const maxRest = 8 << 10

// Write passes on the lines that have ended, and keeps the rest.
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

// End passes on a line that has not ended.
func (w *Prefixed) End() {
	w.mu.Lock()
	open := len(w.rest) > 0
	w.mu.Unlock()
	if open {
		_, _ = w.Write([]byte{'\n'})
	}
}

package terminal

import (
	"errors"
	"io"
	"sync"
	"syscall"
)

// Output is standard output. It keeps the first error, so that a command whose result
// did not arrive, as on a full disk, does not end as if it had. A reader that
// went away wanted no more: that is no error. It is safe for concurrent use;
// Err is for when all has been written.
type Output struct {
	To  io.Writer
	mu  sync.Mutex
	err error
}

// Err is the first error of a write.
func (r *Output) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Write writes to To.
func (r *Output) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, err := r.To.Write(p)
	if err != nil && r.err == nil && !errors.Is(err, syscall.EPIPE) {
		r.err = err
	}
	return n, err
}

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

	within bool // what was written last did not end its line
}

// Within says once that the last line that was written has no end.
func (r *Output) Within() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	within := r.within
	r.within = false
	return within
}

// Err is the first error of a write.
func (r *Output) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Through has w written to instead of To, until back is called.
func (r *Output) Through(w io.Writer) (back func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	to := r.To
	r.To = w
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.To = to
	}
}

// Write writes to To.
func (r *Output) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, err := r.To.Write(p)
	if n > 0 {
		r.within = p[n-1] != '\n'
	}
	if err != nil && r.err == nil && !errors.Is(err, syscall.EPIPE) {
		r.err = err
	}
	return n, err
}

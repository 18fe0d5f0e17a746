package terminal

import (
	"errors"
	"io"
	"sync"
	"syscall"
)

// Output is standard output. It keeps the first error, so that a command fails
// if its result did not arrive, for example because a disk was full. It is not
// an error if the reader closed the pipe. Output is safe for concurrent use;
// call Err after everything has been written.
type Output struct {
	To  io.Writer
	mu  sync.Mutex
	err error

	within bool // the last write did not end its line
}

// Within reports whether the last line written has no end, and resets that.
func (r *Output) Within() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	within := r.within
	r.within = false
	return within
}

// Err returns the first error of a write.
func (r *Output) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Through redirects writes to w instead of To, until back is called.
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

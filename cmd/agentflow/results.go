package main

import (
	"errors"
	"io"
	"sync"
	"syscall"
)

// results is stdout. It keeps the first error, so that a command whose result
// did not arrive, as on a full disk, does not end as if it had. A reader that
// went away wanted no more: that is no error. It is safe for concurrent use;
// err is for when all has been written.
type results struct {
	to  io.Writer
	mu  sync.Mutex
	err error
}

func (r *results) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, err := r.to.Write(p)
	if err != nil && r.err == nil && !errors.Is(err, syscall.EPIPE) {
		r.err = err
	}
	return n, err
}

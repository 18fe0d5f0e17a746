package proc

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"
)

const (
	// spoolPoll is the time between two reads at the end of the file. It is
	// short because the state of a file at the beginning of a tool call can be
	// observed only immediately. 250 reads take 1 ms of a second. (inotify does
	// not report files in memory.)
	spoolPoll = 4 * time.Millisecond
	// spoolFree is how much is read before its space is freed.
	spoolFree = 1 << 20
)

// spool is a file that is an agent's standard output, and that is read like a
// pipe while it grows. Unlike a pipe it never makes the writer wait: the Claude
// CLI exits, with code 0, without the text that a full pipe did not take.
type spool struct {
	f   *os.File
	off int64 // bytes read so far
	had int64 // bytes freed so far

	mu       sync.Mutex
	deadline time.Time
	woken    chan struct{} // closed and replaced when the deadline changes
}

func newSpool() (*spool, error) {
	f, err := spoolFile()
	if err != nil {
		return nil, err
	}
	return &spool{f: f, woken: make(chan struct{})}, nil
}

// Read waits at the end of the file, until the deadline, for the file to grow.
func (s *spool) Read(b []byte) (int, error) {
	for {
		n, err := s.f.ReadAt(b, s.off)
		s.off += int64(n)
		if n > 0 {
			if s.off-s.had >= spoolFree {
				giveBack(s.f, s.had, s.off-s.had)
				s.had = s.off
			}
			return n, nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if !s.pause() {
			return 0, os.ErrDeadlineExceeded
		}
	}
}

// pause waits a moment. It returns false after the deadline.
func (s *spool) pause() bool {
	s.mu.Lock()
	deadline, woken := s.deadline, s.woken
	s.mu.Unlock()
	wait := spoolPoll
	if !deadline.IsZero() {
		if wait = min(wait, time.Until(deadline)); wait <= 0 {
			return false
		}
	}
	select {
	case <-time.After(wait):
	case <-woken:
	}
	return true
}

// SetReadDeadline works like that of a pipe.
func (s *spool) SetReadDeadline(t time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deadline = t
	close(s.woken)
	s.woken = make(chan struct{})
	return nil
}

// Close does not close the agent's handle.
func (s *spool) Close() error { return s.f.Close() }

// left returns the number of bytes that are not yet read.
func (s *spool) left() int64 {
	info, err := s.f.Stat()
	if err != nil {
		return 0
	}
	return info.Size() - s.off
}

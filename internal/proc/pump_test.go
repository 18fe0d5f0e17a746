//go:build linux || darwin

package proc

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"
)

type stuck chan struct{}

func (s stuck) Write(b []byte) (int, error) {
	s <- struct{}{} // reports the call
	<-s             // and waits to be released
	return len(b), nil
}

// A writer that takes nothing does not hold Wait for ever, and is not written
// to once Wait has returned.
func TestAStuckWriterIsSaid(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	to := make(stuck)
	p := newPump(r, to)
	go p.run()
	if _, err := w.Write(bytes.Repeat([]byte("x"), 3<<10)); err != nil {
		t.Fatal(err)
	}
	<-to
	p.wake()
	limit := make(chan struct{})
	close(limit)
	if err := p.settle(limit); err == nil || !strings.Contains(err.Error(), "not done") {
		t.Errorf("got %v", err)
	}
	if _, err := w.Write([]byte("later")); err != nil {
		t.Fatal(err)
	}
	w.Close()
	to <- struct{}{}
	select {
	case <-p.done:
	case <-to:
		t.Error("written to after the end")
	}
}

// TestAnOldDeadlineLosesNothing checks that a deadline that passed while there
// was no reader does not affect the pipe.
func TestAnOldDeadlineLosesNothing(t *testing.T) {
	for range 200 {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte("last words")); err != nil {
			t.Fatal(err)
		}
		w.Close()
		if err := r.SetReadDeadline(time.Now().Add(-time.Second)); err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		p := newPump(r, &got)
		go p.run()
		p.wake()
		if err := p.settle(nil); err != nil || got.String() != "last words" {
			t.Fatalf("%q, %v", got.String(), err)
		}
	}
}

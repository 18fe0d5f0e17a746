package app

import (
	"strings"
	"testing"
	"time"

	"agentflow/index"
)

// TestBarLine shows a bar that is due.
func TestBarLine(t *testing.T) {
	var out strings.Builder
	b := (&site{operation: &operation{voice: voice{err: &out, errTTY: true}}}).newBar("at")
	for want, c := range map[string]struct {
		show  func()
		after time.Duration
	}{
		"[--------------------] 0/3 files  0 %": {func() { b.files(index.Progress{AllFiles: 3, AllBytes: 10}) }, time.Second},
		"[##########----------] 812/2000 files  50 %  10.0 MB/s  30s left": {
			func() { b.files(index.Progress{Files: 812, AllFiles: 2000, Bytes: 300e6, AllBytes: 600e6}) }, 30 * time.Second},
		"[####################] 1/1 files  100 %  5.0 MB/s  0s left": { // the file grew
			func() { b.files(index.Progress{Files: 1, AllFiles: 1, Bytes: 5e6, AllBytes: 4e6}) }, time.Second},
		"[####################] 0/0 files  100 %":                            {func() { b.files(index.Progress{}) }, time.Second},
		"[#####---------------] 50/200 chunks  25 %  5.0 chunks/s  30s left": {func() { b.chunks(50, 200) }, 10 * time.Second},
	} {
		out.Reset()
		b.due = time.Time{}
		b.now = func() time.Time { return b.began.Add(c.after) }
		c.show()
		if got := strings.TrimPrefix(out.String(), "\r\x1b[2Kat "); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// TestBarIsForTerminals: it shows after a moment, at most ten times a second,
// takes its line away, and writes nothing elsewhere.
func TestBarIsForTerminals(t *testing.T) {
	var out strings.Builder
	v := voice{err: &out, errTTY: true}
	b := (&site{operation: &operation{voice: v}}).newBar("indexing")
	now := b.began
	b.now = func() time.Time { return now }
	b.files(index.Progress{})
	if out.Len() > 0 {
		t.Errorf("shown at once: %q", out.String())
	}
	for range 40 { // a second
		now = now.Add(barEvery / 4)
		b.files(index.Progress{AllFiles: 1})
	}
	b.end()
	if got := strings.Count(out.String(), "0/1 files"); got != 9 || !strings.HasSuffix(out.String(), "\r\x1b[2K") {
		t.Errorf("shown %d times: %q", got, out.String())
	}
	out.Reset()
	v.errTTY = false
	b = (&site{operation: &operation{voice: v}}).newBar("indexing")
	b.due = time.Time{}
	b.files(index.Progress{AllFiles: 1})
	b.end()
	if out.Len() > 0 {
		t.Errorf("written to a file: %q", out.String())
	}
}

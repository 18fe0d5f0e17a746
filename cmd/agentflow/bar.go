package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"agentflow/index"
)

// bar shows on a terminal how far an indexing is: one line that changes.
type bar struct {
	out        io.Writer // nil where there is no terminal
	what       string
	now        func() time.Time
	began, due time.Time
}

// barEvery is how often the line changes.
const barEvery = 100 * time.Millisecond

func (s *site) newBar(what string) *bar {
	b := &bar{what: what, now: time.Now, began: time.Now()}
	b.due = b.began.Add(2 * barEvery) // what is done by then needs no bar
	if s.errTTY && !s.quiet {
		b.out = s.err
	}
	return b
}

func (b *bar) show(p index.Progress) {
	now := b.now()
	if b.out == nil || now.Before(b.due) {
		return
	}
	b.due = now.Add(barEvery)
	fmt.Fprintf(b.out, "\r\x1b[2K%s %s", b.what, barLine(p, now.Sub(b.began)))
}

// end takes the line away.
func (b *bar) end() {
	if b.out != nil {
		fmt.Fprint(b.out, "\r\x1b[2K")
	}
}

// barLine is the bar after some time, at most 72 columns: files, share of
// the bytes, rate, and how long the rest will take at it.
func barLine(p index.Progress, after time.Duration) string {
	const width = 20
	share := 1.0
	if p.AllBytes > 0 {
		share = min(float64(p.Bytes)/float64(p.AllBytes), 1)
	}
	full := int(share * width)
	line := fmt.Sprintf("[%s%s] %d/%d files  %.0f %%", strings.Repeat("#", full), strings.Repeat("-", width-full), p.Files, p.AllFiles, 100*share)
	if p.Bytes == 0 || after <= 0 {
		return line
	}
	rate := float64(p.Bytes) / after.Seconds()
	left := time.Duration(float64(max(p.AllBytes-p.Bytes, 0)) / rate * float64(time.Second))
	return line + fmt.Sprintf("  %.1f MB/s  %v left", rate/1e6, left.Round(time.Second))
}

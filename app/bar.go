package app

import (
	"fmt"
	"io"
	"strings"
	"time"

	"agentflow/index"
)

// bar shows on a terminal how far a long work is: one line that changes.
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

// files is for index.Options.Progress.
func (b *bar) files(p index.Progress) {
	b.show(step{p.Bytes, p.AllBytes, fmt.Sprintf("%d/%d files", p.Files, p.AllFiles), 1e6, "MB/s"})
}

// chunks is for index.DB.EmbedPending.
func (b *bar) chunks(done, total int) {
	b.show(step{int64(done), int64(total), fmt.Sprintf("%d/%d chunks", done, total), 1, "chunks/s"})
}

// commits is for backfill.
func (b *bar) commits(done, total int) {
	b.show(step{int64(done), int64(total), fmt.Sprintf("%d/%d commits", done, total), 1, "commits/s"})
}

func (b *bar) show(to step) {
	now := b.now()
	if b.out == nil || now.Before(b.due) {
		return
	}
	b.due = now.Add(barEvery)
	fmt.Fprintf(b.out, "\r\x1b[2K%s %s", b.what, to.line(now.Sub(b.began)))
}

// end takes the line away.
func (b *bar) end() {
	if b.out != nil {
		fmt.Fprint(b.out, "\r\x1b[2K")
	}
}

// step is how far something is.
type step struct {
	done, all int64
	what      string  // the same in words
	unit      float64 // of the rate
	rate      string  // its name
}

// line is the bar after some time, at most 72 columns: the step in words, its
// share, the rate, and how long the rest will take at it.
func (s step) line(after time.Duration) string {
	const width = 20
	share := 1.0
	if s.all > 0 {
		share = min(float64(s.done)/float64(s.all), 1)
	}
	full := int(share * width)
	line := fmt.Sprintf("[%s%s] %s  %.0f %%", strings.Repeat("#", full), strings.Repeat("-", width-full), s.what, 100*share)
	if s.done == 0 || after <= 0 {
		return line
	}
	rate := float64(s.done) / after.Seconds()
	left := time.Duration(float64(max(s.all-s.done, 0)) / rate * float64(time.Second))
	return line + fmt.Sprintf("  %.1f %s  %v left", rate/s.unit, s.rate, left.Round(time.Second))
}

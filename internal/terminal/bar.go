package terminal

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"agentflow/internal/textwidth"
)

// Bar shows the progress of a long operation. It is safe for concurrent use.
type Bar struct {
	What  string // the operation: indexing, …
	Began time.Time

	mu   sync.Mutex
	step Step
}

// Step is the progress of an operation. Total is 0 if it is unknown.
type Step struct {
	Done, Total int64
	Unit        string // of Done and Total, for the rate: bytes, chunks, …
	Text        string // the progress in words: "12/40 files"
}

// Set sets the progress.
func (b *Bar) Set(to Step) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.step = to
}

// View returns the bar as one line: the operation, its share, the rate, and the
// time that the rest will take.
func (b *Bar) View(now time.Time, columns, _ int) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	line := b.What
	if b.step != (Step{}) {
		line += " " + b.step.line(now.Sub(b.Began))
	}
	return []string{textwidth.Cut(line, columns)}
}

// line formats a step after some time, in at most 72 columns if Text is short.
func (s Step) line(after time.Duration) string {
	const width = 20
	share := 1.0
	if s.Total > 0 {
		share = min(float64(s.Done)/float64(s.Total), 1)
	}
	full := int(share * width)
	line := fmt.Sprintf("[%s%s] %s  %.0f %%", strings.Repeat("#", full), strings.Repeat("-", width-full), s.Text, 100*share)
	if s.Done == 0 || after <= 0 {
		return line
	}
	rate, unit := float64(s.Done)/after.Seconds(), s.Unit
	left := time.Duration(float64(max(s.Total-s.Done, 0)) / rate * float64(time.Second))
	if unit == "bytes" {
		rate, unit = rate/1e6, "MB"
	}
	return line + fmt.Sprintf("  %.1f %s/s  %v left", rate, unit, left.Round(time.Second))
}

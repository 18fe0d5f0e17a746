package app

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"agentflow/memory"
)

// board shows several runs at once. On a terminal that is the last lines, one
// for each run that goes on, drawn again and again below what is said; all
// that is said goes through it. Elsewhere it is plain lines.
type board struct {
	say     func(format string, args ...any)
	plain   bool // lines are said, none is drawn
	silent  bool
	colour  bool
	now     func() time.Time
	size    func() (columns, rows int)
	stop    func()
	all     int // runs in all
	limit   float64
	started time.Time

	mu         sync.Mutex // guards all below
	out        io.Writer
	rows       []*row
	drawn      int // lines on the terminal
	cost       float64
	well, done int
}

// boardEvery is how often the lines are drawn.
const boardEvery = 250 * time.Millisecond

func (s *site) newBoard(all int, limit float64) *board {
	b := &board{say: s.say, plain: !s.errTTY || s.getenv("TERM") == "dumb", silent: s.quiet, colour: s.errColour,
		now: time.Now, size: terminalSize, stop: func() {}, all: all, limit: limit, started: time.Now(), out: s.err}
	if !b.plain && !b.silent {
		b.stop = every(boardEvery, func() {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.draw()
		})
	}
	return b
}

// terminalSize is the size of the terminal.
func terminalSize() (columns, rows int) {
	if width, height, err := term.GetSize(int(os.Stderr.Fd())); err == nil && width > 20 && height > 4 {
		return width, height
	}
	return 80, 24
}

// Write says something: the drawn lines make place for it. What it is given
// ends with a line end.
func (b *board) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clear()
	return b.out.Write(p)
}

// end takes the lines away for good.
func (b *board) end() {
	b.stop()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clear()
}

// spend notes a run that ended.
func (b *board) spend(cost float64, well bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cost += cost
	b.done++
	if well {
		b.well++
	}
}

func (b *board) clear() {
	if b.drawn > 0 {
		fmt.Fprint(b.out, erase(b.drawn))
		b.drawn = 0
	}
}

// erase takes away so many lines, the cursor being at the end of the last.
func erase(lines int) string {
	return "\r" + strings.Repeat("\x1b[A", lines-1) + "\x1b[J"
}

func (b *board) draw() {
	var screen bytes.Buffer
	if b.drawn > 0 {
		screen.WriteString(erase(b.drawn))
	}
	lines := b.view(b.size())
	b.drawn = len(lines)
	text := strings.Join(lines, "\n")
	if b.colour {
		text = "\x1b[2m" + text + "\x1b[0m"
	}
	screen.WriteString(text)
	b.out.Write(screen.Bytes())
}

// maxLabel bounds a run's name on the board.
const maxLabel = 24

// view is the lines as they are now: how far all is, and each run that goes
// on, as many as there is room for.
func (b *board) view(columns, height int) []string {
	lines := []string{cutRunes(b.sum(), columns-1)}
	room := max(height-3, 1)
	width := 0
	for _, r := range b.rows {
		width = max(width, min(len(r.name), maxLabel))
	}
	for i, r := range b.rows {
		if i == room && len(b.rows) > room+1 {
			return append(lines, fmt.Sprintf("… and %d more", len(b.rows)-room))
		}
		label := fmt.Sprintf("[%d] %-*s  ", r.n+1, width, cutRunes(r.name, maxLabel))
		lines = append(lines, label+r.line(b.now(), columns-1-len([]rune(label))))
	}
	return lines
}

func (b *board) sum() string {
	parts := []string{fmt.Sprintf("%d of %d done", b.done, b.all)}
	if bad := b.done - b.well; bad > 0 {
		parts = append(parts, fmt.Sprintf("%d of them not well", bad))
	}
	parts = append(parts, fmt.Sprintf("%d running", len(b.rows)))
	switch {
	case b.limit > 0:
		parts = append(parts, memory.Price(b.cost)+" of "+memory.Price(b.limit))
	case b.cost > 0:
		parts = append(parts, memory.Price(b.cost))
	}
	return strings.Join(append(parts, b.now().Sub(b.started).Truncate(time.Second).String()), " · ")
}

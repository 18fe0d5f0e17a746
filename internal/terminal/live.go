// Package terminal shows the progress of an operation on a terminal: one or a
// few lines that are redrawn below all other output.
//
// Guarantees: text written through a Live is not overwritten, not even a line
// without its end. The lines disappear when the view is hidden.
//
// Not guaranteed: output that bypasses the Live, such as an editor's, is not
// noticed; hide the view before.
package terminal

import (
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// View returns the lines to show at a time: at most rows lines of at most
// columns cells each.
type View func(now time.Time, columns, rows int) []string

// Live manages the last lines of a terminal. It is safe for concurrent use.
type Live struct {
	out  io.Writer
	dim  bool
	size func() (columns, rows int)

	mu     sync.Mutex // guards all fields below
	view   View       // nil if nothing is to be shown
	shown  []string   // the lines of the view on the terminal
	within bool       // other output began the last line of the terminal and has not ended it
}

// New returns the last lines of the terminal that out writes to, dimmed or not.
func New(out io.Writer, dim bool) *Live {
	return &Live{out: out, dim: dim, size: func() (int, int) { return Columns(), Height() }}
}

// drawEvery spaces the redraws of a view. An operation that ends
// before the first time is not shown.
const drawEvery = 250 * time.Millisecond

// Show draws view until hide is called. It does nothing while another view is
// shown.
func (l *Live) Show(view View) (hide func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.view != nil {
		return func() {}
	}
	l.view = view
	stop := every(drawEvery, l.draw)
	return sync.OnceFunc(func() {
		stop()
		l.mu.Lock()
		defer l.mu.Unlock()
		l.clear()
		l.view = nil
		if l.within {
			_, _ = io.WriteString(l.out, "\n")
			l.within = false
		}
	})
}

func (l *Live) draw() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.within {
		return
	}
	columns, rows := l.size()
	lines := l.view(time.Now(), columns-1, rows-1)
	if slices.Equal(lines, l.shown) {
		return
	}
	text := strings.Join(lines, "\n")
	if l.dim {
		text = "\x1b[2m" + text + "\x1b[0m"
	}
	_, _ = io.WriteString(l.out, erase(len(l.shown))+text)
	l.shown = lines
}

func (l *Live) clear() {
	_, _ = io.WriteString(l.out, erase(len(l.shown)))
	l.shown = nil
}

// Erase erases the last lines of the other output. The cursor has to be at the
// start of the next line. It does nothing if l is nil.
func (l *Live) Erase(lines int) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clear()
	_, _ = io.WriteString(l.out, erase(lines+1))
}

// erase returns the codes to erase this many lines. The cursor is at the end of
// the last one.
func erase(lines int) string {
	if lines == 0 {
		return ""
	}
	return "\r" + strings.Repeat("\x1b[A", lines-1) + "\x1b[J"
}

// Wrap wraps w, which writes to the same terminal: the lines are erased
// before each write.
func (l *Live) Wrap(w io.Writer) io.Writer { return liveWriter{l, w} }

type liveWriter struct {
	live *Live
	to   io.Writer
}

func (b liveWriter) Write(p []byte) (int, error) {
	l := b.live
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(p) > 0 {
		l.clear()
		l.within = p[len(p)-1] != '\n'
	}
	return b.to.Write(p)
}

// every calls f at an interval until stop is called. stop waits for a running
// call.
func every(pause time.Duration, f func()) (stop func()) {
	ticker, over, gone := time.NewTicker(pause), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for {
			select {
			case <-ticker.C:
				f()
			case <-over:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(over)
		<-gone
	}
}

// Columns returns the width of the terminal on standard error, or 80 if it is
// unknown.
func Columns() int {
	if width, _, err := term.GetSize(int(os.Stderr.Fd())); err == nil && width > 20 {
		return width
	}
	return 80
}

// Height returns the number of rows of the terminal on standard error, or 24 if
// it is unknown.
func Height() int {
	if _, height, err := term.GetSize(int(os.Stderr.Fd())); err == nil && height > 4 {
		return height
	}
	return 24
}

// Package terminal shows on a terminal how far a work is: one line, or a few,
// that are drawn again and again below everything else that is written.
//
// Guarantees: nothing that is written through a Live is overwritten, a line
// without its end included. The lines are gone when the view is hidden.
//
// Not guaranteed: output that goes to the terminal past the Live, as that of an
// editor, is not seen; hide the view before.
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

// View is what is shown at a time: at most rows lines, each of at most columns
// cells.
type View func(now time.Time, columns, rows int) []string

// Live is the last lines of a terminal. It is safe for concurrent use.
type Live struct {
	out  io.Writer
	dim  bool
	size func() (columns, rows int)

	mu     sync.Mutex // guards all below
	view   View       // nil: nothing is to be shown
	shown  []string   // what the terminal shows of it
	within bool       // the terminal's last line was begun by somebody else and has not ended
}

// New is the last lines of the terminal that out writes to, dimmed or not.
func New(out io.Writer, dim bool) *Live {
	return &Live{out: out, dim: dim, size: func() (int, int) { return Columns(), rows() }}
}

// drawEvery is how often a view is asked for its lines. What is over before the
// first time was not worth a line.
const drawEvery = 250 * time.Millisecond

// Show draws view until hide is called. While another view is shown, it does
// nothing: the first one keeps its place.
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

// erase takes away so many lines, the cursor being at the end of the last.
func erase(lines int) string {
	if lines == 0 {
		return ""
	}
	return "\r" + strings.Repeat("\x1b[A", lines-1) + "\x1b[J"
}

// Beside is w, which writes to the same terminal: the lines make room for what
// it is given.
func (l *Live) Beside(w io.Writer) io.Writer { return beside{l, w} }

type beside struct {
	live *Live
	to   io.Writer
}

func (b beside) Write(p []byte) (int, error) {
	l := b.live
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(p) > 0 {
		l.clear()
		l.within = p[len(p)-1] != '\n'
	}
	return b.to.Write(p)
}

// every calls f again and again until stop returns.
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

// Columns is the width of the terminal that standard error is; 80 where that
// is not known.
func Columns() int {
	if width, _, err := term.GetSize(int(os.Stderr.Fd())); err == nil && width > 20 {
		return width
	}
	return 80
}

func rows() int {
	if _, height, err := term.GetSize(int(os.Stderr.Fd())); err == nil && height > 4 {
		return height
	}
	return 24
}

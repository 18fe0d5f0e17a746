package app

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"agentflow/executor"
	"agentflow/executor/agent"
	"agentflow/executor/progress"

	"golang.org/x/term"
)

// follow attaches progress to a run: one line that changes on a terminal,
// plain lines elsewhere, nothing when quiet. The returned function ends it.
func (s *site) follow(deps *executor.Deps, req executor.Request, o runOptions) (stop func()) {
	if o.quiet {
		return func() {}
	}
	name := req.Agent.Name()
	if !s.errTTY || s.getenv("TERM") == "dumb" {
		state := progress.New(name, deps.WorkTree, time.Now())
		deps.Sink = func(ev agent.Event) {
			state.Add(ev)
			if line := state.Plain(ev); line != "" {
				s.say("%s", line)
			}
		}
		return func() {}
	}
	l := &liveLine{state: progress.New(name, deps.WorkTree, time.Now()), out: s.err, before: "\r\x1b[2K"}
	if s.errColour {
		l.before, l.after = l.before+"\x1b[2m", "\x1b[0m"
	}
	deps.Sink = l.add
	deps.AgentErr = l.beside(s.err, true)
	deps.AgentOut = l.beside(deps.AgentOut, s.outTTY || o.asJSON)
	return l.run()
}

// liveLine is the last line of a terminal, drawn again and again. Other
// output goes through beside, which takes the line away first.
type liveLine struct {
	mu    sync.Mutex
	state *progress.State
	out   io.Writer
	shown bool
	// within says that the terminal's last line is the agent's and has not
	// ended: drawing over it would take it away.
	within bool
	// before takes the old line away and, in colour, dims the new one; after
	// ends that.
	before, after string
}

func (l *liveLine) add(ev agent.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state.Add(ev)
	l.draw()
}

func (l *liveLine) draw() {
	if l.within {
		return
	}
	fmt.Fprint(l.out, l.before, l.state.Line(time.Now(), columns()-1), l.after)
	l.shown = true
}

func (l *liveLine) clear() {
	if l.shown {
		fmt.Fprint(l.out, "\r\x1b[2K")
		l.shown = false
	}
}

// run draws the line every second, so that the clock in it goes on.
func (l *liveLine) run() (stop func()) {
	stopDrawing := every(time.Second, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.draw()
	})
	return func() {
		stopDrawing()
		l.mu.Lock()
		defer l.mu.Unlock()
		l.clear()
		if l.within {
			fmt.Fprintln(l.out)
		}
	}
}

// every calls f again and again until stop, after which it is called no more.
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

// beside is a writer that takes the line away before it writes; shared says
// that it writes to the line's terminal.
func (l *liveLine) beside(w io.Writer, shared bool) io.Writer { return besideLine{l, w, shared} }

type besideLine struct {
	line   *liveLine
	w      io.Writer
	shared bool
}

func (b besideLine) Write(p []byte) (int, error) {
	b.line.mu.Lock()
	defer b.line.mu.Unlock()
	b.line.clear()
	if b.shared && len(p) > 0 {
		b.line.within = p[len(p)-1] != '\n'
	}
	return b.w.Write(p)
}

// columns is the terminal's width.
func columns() int {
	if width, _, err := term.GetSize(int(os.Stderr.Fd())); err == nil && width > 20 {
		return width
	}
	return 80
}

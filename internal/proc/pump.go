package proc

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

const (
	// drainQuiet is how long a pipe must be empty after the agent's end to
	// count as completely read although another process still holds it open.
	drainQuiet = 100 * time.Millisecond
	// drainSoft is when the reading of a pipe stops that another process keeps
	// writing to, if so much was read that it cannot contain the agent's output
	// any more: pipeMax is the largest size of a pipe for an ordinary user of
	// Linux.
	drainSoft = time.Second
	pipeMax   = 1 << 20
	// drainLimit limits the whole, whichever way a writer behaves.
	drainLimit = 5 * time.Second
)

// readSize limits a read that is passed on, in bytes.
const readSize = 256 << 10

// pump copies one output stream of the agent to its writer. It keeps reading
// after the writer fails, because the agent must not block.
type pump struct {
	r     source
	most  int64 // bytes of the agent's output that may be left when it has ended
	w     io.Writer
	ended chan struct{} // closed by wake, after the agent's end
	done  chan struct{} // closed when nothing more is read
	mute  bool          // reads do not support deadlines (Windows)

	mu   sync.Mutex
	busy bool      // inside w.Write
	cut  bool      // Wait has returned: w must not be written to any more
	last time.Time // when the last bytes arrived
	err  error     // the first error of w
}

// source is a pipe, or a spool.
type source interface {
	io.ReadCloser
	SetReadDeadline(time.Time) error
}

func newPump(r source, w io.Writer) *pump {
	return &pump{r: r, w: w, most: pipeMax, ended: make(chan struct{}), done: make(chan struct{})}
}

// run reads until all writers of the pipe are closed, or until the agent has
// ended and its pipe is read completely.
func (p *pump) run() {
	defer close(p.done)
	defer p.r.Close()
	buf := make([]byte, readSize)
	var after int64 // bytes read since the agent's end was noticed
	var since time.Time
	for {
		ended := p.hasEnded()
		if ended {
			s, spooled := p.r.(*spool)
			if since.IsZero() {
				since = time.Now()
				if spooled {
					p.most = s.left()
				}
			}
			// A spool has all of the agent's output when the agent ends. For a
			// pipe, only time shows the end.
			if after >= p.most && (spooled || time.Since(since) > drainSoft) {
				return
			}
			p.r.SetReadDeadline(time.Now().Add(drainQuiet))
		}
		n, err := p.r.Read(buf)
		if n > 0 {
			p.deliver(buf[:n])
		}
		if ended {
			after += int64(n)
		}
		// If the deadline was set to wake this read, its expiry has no meaning
		// for the pipe. If it was set just before the read, it means that the
		// pipe is quiet.
		if errors.Is(err, os.ErrDeadlineExceeded) && !ended {
			continue
		}
		if err != nil {
			return
		}
	}
}

func (p *pump) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

func (p *pump) deliver(b []byte) {
	p.mu.Lock()
	p.last = time.Now()
	if p.cut || p.err != nil {
		p.mu.Unlock()
		return
	}
	p.busy = true
	p.mu.Unlock()
	_, err := p.w.Write(b)
	p.mu.Lock()
	p.busy, p.err = false, err
	p.mu.Unlock()
}

// wake informs run that the agent has ended. Setting the deadline interrupts a
// waiting read. It is set before ended is closed, so that it does not replace
// the deadlines that run sets from then on.
func (p *pump) wake() {
	p.mute = p.r.SetReadDeadline(time.Now()) != nil
	close(p.ended)
}

// settle waits, after wake, until the agent's output is delivered or limit is
// closed.
func (p *pump) settle(limit <-chan struct{}) error {
	var quiet <-chan time.Time
	if p.mute {
		quiet = time.Tick(drainQuiet)
	}
	for {
		select {
		case <-p.done:
			return p.result(false)
		case <-limit:
			select {
			case <-p.done: // while settle waited for another pump
				return p.result(false)
			default:
			}
			if !p.flows() {
				return p.result(true)
			}
			again := make(chan struct{})
			time.AfterFunc(drainLimit, func() { close(again) })
			limit = again
		case <-quiet:
			if p.silentFor(5 * drainQuiet) {
				return p.result(false)
			}
		}
	}
}

// flows reports whether a spool is still being passed on. It can hold much more
// than a pipe, all of it the agent's, and run knows where it ends.
func (p *pump) flows() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, spooled := p.r.(*spool)
	return spooled && time.Since(p.last) < drainLimit
}

func (p *pump) silentFor(d time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.busy && time.Since(p.last) > d
}

// result stops the delivery permanently and returns its error.
func (p *pump) result(late bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = true
	if p.err != nil {
		return fmt.Errorf("passing the agent's output on: %w", p.err)
	}
	if late {
		return fmt.Errorf("passing the agent's output on: not done %v after it ended", drainLimit)
	}
	return nil
}

// feed writes the agent's input and closes it. It ignores errors, because an
// agent need not read its input.
func feed(w *os.File, input []byte) {
	w.Write(input)
	w.Close()
}

// Clipped keeps the beginning of the text written to it, for a process that may
// print endlessly. It is not safe for concurrent use.
type Clipped struct {
	Data []byte
	Most int    // maximum number of bytes to keep
	Full func() // called whenever text is dropped; may be nil
}

// Write keeps as much as there is room for, and never fails.
func (c *Clipped) Write(p []byte) (int, error) {
	kept := p[:min(len(p), c.Most-len(c.Data))]
	c.Data = append(c.Data, kept...)
	if len(kept) < len(p) && c.Full != nil {
		c.Full()
	}
	return len(p), nil
}

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
	// drainQuiet is how long a pipe has to be empty after the agent's end to
	// count as read out although some other process still holds it open.
	drainQuiet = 100 * time.Millisecond
	// drainSoft ends the reading of a pipe that a survivor keeps writing to,
	// once so much was read that nothing of the agent's can be left in it:
	// pipeMax is the most that Linux lets an ordinary user make a pipe hold.
	drainSoft = time.Second
	pipeMax   = 1 << 20
	// drainLimit bounds the whole, whatever a writer does.
	drainLimit = 5 * time.Second
)

// readSize is how much is read and passed on at once, in bytes.
const readSize = 256 << 10

// pump carries one output stream of the agent to its writer. A writer that
// fails does not stop the reading: the agent must not block on it.
type pump struct {
	r     source
	most  int64 // bytes that can be left of the agent's own when it has ended
	w     io.Writer
	ended chan struct{} // closed by wake, after the agent's end
	done  chan struct{} // closed when nothing more is read
	mute  bool          // reads cannot be given a deadline (Windows)

	mu   sync.Mutex
	busy bool      // inside w.Write
	cut  bool      // Wait has returned: w must not be written to any more
	last time.Time // when the last bytes came
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

// run reads until every writer of the pipe is gone, or until the agent has
// ended and its pipe is read out.
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
			// A spool holds all of the agent's output when the agent ends; of a pipe,
			// only time shows the end.
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
		// A deadline that was set to wake this read says nothing about the pipe;
		// one that was set just before it does.
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

// wake informs run that the agent has ended. The deadline frees a read
// that waits; it is set before ended is closed, so that it never cuts short the
// deadlines that run sets from then on.
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
			case <-p.done: // while another pump had its time
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

// flows says that a spool is still being passed on. It can hold much more than
// a pipe, all of it the agent's, and run knows where it ends.
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

// result stops the delivery for good and says what went wrong with it.
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

// feed writes the agent's input and closes it. It returns nothing: an agent
// that reads no input, or not all of it, is within its rights.
func feed(w *os.File, input []byte) {
	w.Write(input)
	w.Close()
}

// Clipped keeps the beginning of the text written to it, for a process that may
// print without end. It is not safe for concurrent use.
type Clipped struct {
	Data []byte
	Most int    // bytes that are kept
	Full func() // called whenever text is dropped; may be nil
}

// Write keeps the part that there is room for, and never fails.
func (c *Clipped) Write(p []byte) (int, error) {
	kept := p[:min(len(p), c.Most-len(c.Data))]
	c.Data = append(c.Data, kept...)
	if len(kept) < len(p) && c.Full != nil {
		c.Full()
	}
	return len(p), nil
}

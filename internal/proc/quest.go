//go:build linux || darwin

package proc

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// killLimit bounds the killing: what outlives it is in the kernel's hands
	// or not ours to signal.
	killLimit = 4 * time.Second
	// endPause is the time between two looks while processes end.
	endPause = 10 * time.Millisecond
)

// quest ends processes that may start others meanwhile: it looks, signals
// what it finds, and looks again until nothing is left.
type quest struct {
	look   func() (living []row, whole []int)
	silent ident // ended like the others, and not named
	found  map[ident]*victim
	order  []*victim // of found
}

type victim struct {
	ident
	Ended
	failed bool // the last signal could not be sent
}

func (q *quest) run(ctx context.Context, grace time.Duration) []Ended {
	q.found = map[ident]*victim{}
	left := q.ask(ctx, grace)
	if left {
		left = q.kill()
	}
	var alive []row
	if left {
		alive, _ = q.look()
	}
	out := []Ended{}
	for _, v := range q.order {
		still := slices.ContainsFunc(alive, func(r row) bool { return r.ident == v.ident })
		if v.ident != q.silent && !still && !v.failed {
			out = append(out, v.Ended)
		}
	}
	return out
}

// ask asks every process once and waits for them; it tells whether some are
// left after grace or at ctx's end.
func (q *quest) ask(ctx context.Context, grace time.Duration) (left bool) {
	patience := time.NewTimer(grace)
	defer patience.Stop()
	pause := time.NewTicker(endPause)
	defer pause.Stop()
	for {
		living, whole := q.look()
		if len(living)+len(whole) == 0 {
			return false
		}
		for _, r := range living {
			if q.found[r.ident] == nil {
				q.send(r, unix.SIGTERM)
			}
		}
		select {
		case <-patience.C:
			return true
		case <-ctx.Done():
			return true
		case <-pause.C:
		}
	}
}

// kill kills until nothing is left or killLimit has passed.
func (q *quest) kill() (left bool) {
	limit := time.NewTimer(killLimit)
	defer limit.Stop()
	pause := time.NewTicker(endPause)
	defer pause.Stop()
	for {
		living, whole := q.look()
		if len(living)+len(whole) == 0 {
			return false
		}
		// What is stopped starts nothing more. A group is killed as a whole
		// because a fork cannot slip out of that.
		for _, r := range living {
			q.send(r, unix.SIGSTOP)
		}
		for _, pgid := range whole {
			unix.Kill(-pgid, unix.SIGKILL)
		}
		for _, r := range living {
			q.send(r, unix.SIGKILL)
		}
		select {
		case <-limit.C:
			return true
		case <-pause.C:
		}
	}
}

// send signals one process and notes it as a victim unless it was gone.
func (q *quest) send(r row, sig unix.Signal) {
	v := q.found[r.ident]
	var name string
	if v == nil {
		name = label(cmdline(r.pid), r.name)
	}
	err := signalOne(r.ident, sig)
	if sig == unix.SIGTERM && err == nil {
		signalOne(r.ident, unix.SIGCONT) // a stopped process cannot hear the request
	}
	if v == nil {
		if err == unix.ESRCH {
			return
		}
		v = &victim{ident: r.ident, Ended: Ended{PID: r.pid, Command: name}}
		q.found[r.ident] = v
		q.order = append(q.order, v)
	}
	switch {
	case err == unix.ESRCH:
	case err != nil:
		v.failed = true
	default:
		v.failed = false
		v.Killed = v.Killed || sig != unix.SIGTERM
	}
}

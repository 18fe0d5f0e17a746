// Package gather asks several sources for the parts of one answer, and leaves out those that are late.
package gather

import (
	"context"
	"time"
)

// deadlineReserve bounds the time between the end of an answer's parts and the caller's
// deadline, in which the answer is put together. That time is a tenth of the time that is
// left, at most deadlineReserve.
const deadlineReserve = 50 * time.Millisecond

// Parts asks several memories for parts of one answer, each on a separate goroutine. If the caller has a deadline,
// a part that does not arrive shortly before it is left out. Without a deadline the caller waits for all parts.
type Parts struct {
	ask  context.Context // of the parts
	last context.Context // ends when the caller stops waiting for parts
	Late []string        // names of the parts that were left out
}

// New begins a gathering that ends a little before the deadline of ctx, if that has one.
func New(ctx context.Context) (g *Parts, cancel func()) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return &Parts{ask: ctx, last: ctx}, func() {}
	}
	reserve := min(time.Until(deadline)/10, deadlineReserve)
	ask, cancelAsk := context.WithDeadline(ctx, deadline.Add(-reserve))
	last, cancelLast := context.WithDeadline(ctx, deadline.Add(-reserve/2))
	return &Parts{ask: ask, last: last}, func() { cancelAsk(); cancelLast() }
}

// Begin starts a part. The result waits for the part, and returns false if it is late. A
// part that fails after its context has ended is late too. A late part may still run, so
// it must not access the caller's data.
func Begin[T any](g *Parts, name string, part func(context.Context) (T, error)) (wait func() (T, error, bool)) {
	type answer struct {
		value T
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		value, err := part(g.ask)
		done <- answer{value, err}
	}()
	return func() (value T, err error, ok bool) {
		var a answer
		select {
		case a = <-done:
		case <-g.last.Done():
			select { // it may have arrived meanwhile
			case a = <-done:
			default:
				a.err = g.last.Err()
			}
		}
		if a.err != nil && g.ask.Err() == context.DeadlineExceeded {
			g.Late = append(g.Late, name)
			return value, nil, false
		}
		return a.value, a.err, true
	}
}

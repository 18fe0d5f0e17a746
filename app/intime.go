package app

import (
	"context"
	"time"
)

// deadlineReserve is how long before the caller's deadline the parts of an answer end, so
// that the answer is put together in time: a tenth of the time that is left, and no more
// than this.
const deadlineReserve = 50 * time.Millisecond

// gathering asks several memories for parts of one answer, each on a goroutine of its own.
// Where the caller has a deadline, a part that is not there shortly before it is left out.
// Without a deadline all parts are waited for.
type gathering struct {
	ask  context.Context // of the parts
	last context.Context // ends when no part is waited for any longer
	late []string        // the parts that were left out
}

func newGathering(ctx context.Context) (g *gathering, cancel func()) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return &gathering{ask: ctx, last: ctx}, func() {}
	}
	reserve := min(time.Until(deadline)/10, deadlineReserve)
	ask, cancelAsk := context.WithDeadline(ctx, deadline.Add(-reserve))
	last, cancelLast := context.WithDeadline(ctx, deadline.Add(-reserve/2))
	return &gathering{ask: ask, last: last}, func() { cancelAsk(); cancelLast() }
}

// begin asks for a part. The result waits for it, and is false where the part is late. A
// part that fails after its context has ended is late too. What goes on then must not
// touch what the caller uses.
func begin[T any](g *gathering, name string, part func(context.Context) (T, error)) (wait func() (T, error, bool)) {
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
			select { // it may have come meanwhile
			case a = <-done:
			default:
				a.err = g.last.Err()
			}
		}
		if a.err != nil && g.ask.Err() == context.DeadlineExceeded {
			g.late = append(g.late, name)
			return value, nil, false
		}
		return a.value, a.err, true
	}
}

package watch

import (
	"context"
	"time"
)

// loop turns wakes into calls, one at a time.
type loop struct {
	wakes   <-chan struct{}
	changed func(context.Context) error
	due     debounce
	said    complaints
}

// run ends with ctx, and not before a call that is going on.
func (l *loop) run(ctx context.Context) {
	l.due.now(time.Now())
	ended := make(chan error, 1)
	running := false
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			if running {
				<-ended
			}
			return
		case <-l.wakes:
			l.due.event(time.Now())
		case err := <-ended:
			running = false
			l.note(ctx, err)
		case <-timer.C:
		}
		at, ok := l.due.due()
		if !ok || running || ctx.Err() != nil {
			continue
		}
		if wait := time.Until(at); wait > 0 {
			timer.Reset(wait)
			continue
		}
		l.due.fired()
		running = true
		go func() { ended <- l.changed(ctx) }()
	}
}

// note takes up how a call ended. One that was cut short by the end of ctx
// is no failure.
func (l *loop) note(ctx context.Context, err error) {
	switch {
	case err == nil:
		l.due.worked()
		l.said.worked()
	case ctx.Err() == nil:
		l.due.failed(time.Now())
		l.said.failed(err)
	}
}

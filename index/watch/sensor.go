package watch

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// sensor wakes the loop when files may have changed: by events, or by
// looking.
type sensor struct {
	o    Options
	open func() (*notifier, error)
	wake func()
}

// prepare returns what senses until its context ends. What happens after
// prepare has returned is sensed, even before that is started.
func (s *sensor) prepare(ctx context.Context) func(context.Context) {
	if s.o.Poll > 0 {
		return s.poll(ctx, s.o.Poll)
	}
	e, err := s.events()
	if err != nil {
		return s.instead(ctx, err)
	}
	return func(ctx context.Context) {
		if err := e.run(ctx); err != nil {
			s.instead(ctx, err)(ctx)
		}
	}
}

// instead looks at the files where events cannot be had.
func (s *sensor) instead(ctx context.Context, why error) func(context.Context) {
	s.o.Notice(fmt.Sprintf("events of the file system cannot be used (%v): looking at the files every %v instead", why, fallbackPoll))
	look := s.poll(ctx, fallbackPoll)
	s.wake() // for what happened until now
	return look
}

// poll looks at the files at an interval. A listing with files that have
// just changed counts as different from the next one: a second change within
// one tick of the file system's clock leaves no trace in it.
func (s *sensor) poll(ctx context.Context, every time.Duration) func(context.Context) {
	before, fresh := s.o.list(ctx, time.Now())
	return func(ctx context.Context) {
		timer := time.NewTimer(every)
		defer timer.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-timer.C:
			}
			now, young := s.o.list(ctx, time.Now())
			if fresh || now != before {
				s.wake()
			}
			before, fresh = now, young
			timer.Reset(every)
		}
	}
}

// isMarkdown says whether a file of this name matters.
func isMarkdown(path string) bool { return strings.EqualFold(filepath.Ext(path), ".md") }

// atLimit says that the system gives no more watches, or no more open files,
// which some systems need for a watch.
func atLimit(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

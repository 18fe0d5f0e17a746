package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"agentflow/index/store"
)

// With runs op on the generation that answers now. It runs op again if the
// generation was replaced meanwhile, if the server ended the connection, as it
// does when it stops, or if transactions conflicted. A generation that op finds
// damaged is marked for a rebuild: see Handle.State.
func (s *Store) With(ctx context.Context, op func(store.Handle) error) error {
	var err error
	for attempt := range attempts {
		if attempt > 0 && !pause(ctx, attempt) {
			break
		}
		var h *handle
		if h, err = s.current(ctx); err == nil {
			err = op(h)
		}
		switch {
		case errors.Is(err, store.ErrDamaged) || errors.Is(err, store.ErrVectors):
			if s.o.Repository == "" || s.o.ReadOnly {
				return err
			}
			if err := s.distrust(ctx, h, err); err != nil {
				return storeError(err)
			}
		case !passing(err):
			return storeError(err)
		}
	}
	return storeError(err)
}

// attempts limits how often With runs op.
const attempts = 4

// pause waits a little, longer with each attempt, and returns false if ctx
// ended.
func pause(ctx context.Context, attempt int) bool {
	most := 50 * time.Millisecond << attempt
	select {
	case <-time.After(most/2 + rand.N(most/2)):
		return true
	case <-ctx.Done():
		return false
	}
}

// distrust marks a generation for a rebuild.
func (s *Store) distrust(ctx context.Context, h *handle, why error) error {
	s.o.Notice(fmt.Sprintf("the search index is rebuilt: it was damaged (%v)", why))
	_, err := s.writers.Exec(ctx, `UPDATE indexes SET identity='' WHERE id=$1`, h.now.Load().id)
	return err
}

// current returns the handle of the current generation, the same as before if
// the generation is the same.
func (s *Store) current(ctx context.Context) (*handle, error) {
	now := generation{state: store.Current}
	if s.o.Repository != "" {
		var err error
		if now, err = s.live(ctx, s.readers); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.h == nil || *s.h.now.Load() != now {
		s.h = newHandle(s, now)
	}
	return s.h, nil
}

package app

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"agentflow/config"
	"agentflow/index/postgres"
	"agentflow/share"
	"agentflow/share/exchange"
	"agentflow/team"
)

// TeamAuthor is who shares what is written through a team's server. Each fact says which
// person stored it.
const TeamAuthor = "team server"

// teamwork is what the memory of a repository on a team's server works with.
type teamwork struct {
	repository string
	index      string // name of its index in the database
	seat       *team.Seat
	records    *team.Records
	exchanges  *rounds
	lost       func() // is told that another server writes under our key

	mu    sync.Mutex
	notes []team.Change // written, and in no audit yet
}

// adjust has the settings that a team's server needs, whatever the files say.
func (t *teamwork) adjust(c *config.Config) {
	c.Memory.Enabled = true
	c.Index.Store, c.Index.Name, c.Index.Contents, c.Index.Include = postgres.Name, t.index, false, nil
	c.Share.Auto, c.Share.What = false, string(share.All)
}

// publish returns when all that was written before stands in the audit and on the remote.
func (t *teamwork) publish(ctx context.Context, changes ...team.Change) error {
	t.mu.Lock()
	t.notes = append(t.notes, changes...)
	t.mu.Unlock()
	err := t.exchanges.wait(ctx)
	if err != nil {
		err = &Error{Kind: KindUnavailable, Err: fmt.Errorf("it is not on the remote yet: %w", err), Hint: "ask again: what is written already is not written twice"}
	}
	return err
}

// audit notes what was written. What cannot be noted waits.
func (t *teamwork) audit(ctx context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.notes) > 0 {
		if err := t.records.Note(ctx, t.notes[0]); err != nil {
			return fmt.Errorf("noting who wrote it: %w", err)
		}
		t.notes = t.notes[1:]
	}
	return nil
}

// exchange notes what was written, and brings memory and remote together. Nothing leaves
// without a note, nor while it is not sure that the key is ours alone.
func (m *Memory) exchange(ctx context.Context) (err error) {
	o := m.silent()
	s, err := o.openToShare(ctx)
	if err != nil {
		return err
	}
	c, err := s.mustShare()
	if err != nil {
		return err
	}
	if !m.team.seat.Held() {
		return errors.New("the database is away")
	}
	if err := m.team.audit(ctx); err != nil {
		return err
	}
	done, err := s.exchange(ctx, c, exchange.Options{})
	if errors.Is(err, exchange.ErrTaken) {
		m.team.lost()
	}
	if len(done.News)+len(done.Restored) > 0 {
		s.reindex(ctx, "sync")
	}
	return err
}

// rounds runs a function for many who wait for it: each gets the result of a run that
// began after it asked, and one run goes on at a time.
type rounds struct {
	run func() error

	mu   sync.Mutex
	next *round
	busy bool
}

type round struct {
	over chan struct{}
	err  error
}

func (r *rounds) wait(ctx context.Context) error {
	r.mu.Lock()
	if r.next == nil {
		r.next = &round{over: make(chan struct{})}
		if !r.busy {
			r.busy = true
			go r.work()
		}
	}
	mine := r.next
	r.mu.Unlock()
	select {
	case <-mine.over:
		return mine.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// work runs until nobody waits.
func (r *rounds) work() {
	for {
		r.mu.Lock()
		now := r.next
		r.next = nil
		r.busy = now != nil
		r.mu.Unlock()
		if now == nil {
			return
		}
		now.err = r.run()
		close(now.over)
	}
}

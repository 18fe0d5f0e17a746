package app

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"agentflow/config"
	"agentflow/gitwatch/memref"
	"agentflow/index/postgres"
	"agentflow/memory"
	"agentflow/share"
	"agentflow/share/exchange"
	"agentflow/team"
	"agentflow/writeback"
)

// TeamAuthor is the author of writes through a team's server. Each fact names the
// person who stored it.
const TeamAuthor = "team server"

// teamWriteWait is how long a write waits for another server's write.
const teamWriteWait = 20 * time.Second

// teamwork is the additional state of a repository's memory on a team's server.
type teamwork struct {
	repository string
	remote     string // its address
	index      string // name of its index in the database
	key        ed25519.PrivateKey
	records    *team.Records
	writeTime  time.Duration // for a write to be on the remote
	turns      *writeTurns
	places     *strings.Replacer
	ref        string      // ref of the remote's shared memory; empty: there is none yet. Used by one turn at a time
	rest       time.Time   // the remote sent too much, and is not asked until then. Used by one turn at a time
	forAll     atomic.Bool // a clone shares a fact of the team's namespace here

	mu     sync.Mutex
	notes  []team.Change           // written, but not in the audit yet
	agents map[string]*agentWrites // by the names of callers

	refused map[share.CloneID]string // why folders are refused now
	untold  []string                 // refusals that were not reported yet
}

// agentsOf returns the counts of the changes made by a caller's agents.
func (t *teamwork) agentsOf(caller string) *agentWrites {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.agents == nil {
		t.agents = map[string]*agentWrites{}
	}
	if t.agents[caller] == nil {
		t.agents[caller] = &agentWrites{}
	}
	return t.agents[caller]
}

// adjust sets the settings that a team's server needs, over those of the files.
func (t *teamwork) adjust(c *config.Config) {
	c.Memory.Enabled = true
	c.Index.Store, c.Index.Name, c.Index.Contents, c.Index.Include = postgres.Name, t.index, false, nil
	c.Share.Auto, c.Share.What = false, string(share.All)
	c.Team.URL = ""
}

// findRef returns the ref of the remote's shared memory: the branch of 'agentflow share
// --branch', or else the ref. It looks again until one exists.
func (t *teamwork) findRef(ctx context.Context, dir string) (string, error) {
	if t.ref != "" {
		return t.ref, nil
	}
	branches := []string{exchange.Branch, exchange.OtherBranch}
	has, err := memref.Repo{Dir: dir, Private: true}.Has(ctx, t.remote, branches...)
	for _, branch := range branches {
		if has[branch] && err == nil {
			return branch, nil
		}
	}
	return exchange.Ref, err
}

// note keeps a change for the audit.
func (t *teamwork) note(c team.Change) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.notes = append(t.notes, c)
}

// audit writes the noted changes to the audit. Changes that cannot be written wait.
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

// writing makes an operation that writes wait for its turn on a team's server. During the turn
// memory has the remote's state, and no other server writes. Elsewhere writing does nothing. The
// operation calls end as its last step. After end, the change is on the remote and in the
// audit, or *err says that it is not.
func writing(ctx context.Context, o *operation) (end func(err *error), err error) {
	if err := o.mayWrite(); err != nil {
		return nil, err
	}
	if o.team == nil {
		return func(*error) {}, nil
	}
	w := newWaiter(true)
	o.team.turns.add(w)
	wait, cancel := context.WithTimeoutCause(ctx, o.team.writeTime, errSlow)
	if err := w.wait(wait, w.begun); err != nil {
		cancel()
		w.leave()
		return nil, unavailableNow("writing the team's memory", err)
	}
	return func(err *error) {
		defer cancel()
		w.leave()
		if *err != nil {
			return
		}
		if e := w.wait(wait, w.over); e != nil {
			*err = &Error{Kind: KindUnavailable, Err: fmt.Errorf("it is not on the remote yet: %w", e), Hint: "ask again: what is written already is not written twice"}
		}
	}, nil
}

// unavailableNow returns an error that may go away when the caller asks again.
func unavailableNow(what string, err error) error {
	if known := AsError(err); known.Kind != KindInternal {
		return err
	}
	return &Error{Kind: KindUnavailable, Err: fmt.Errorf("%s: %w", what, err), Hint: "ask again"}
}

// refresh brings the memory of a team's server up to the remote's state.
func refresh(ctx context.Context, m *Memory) error {
	w := newWaiter(false)
	m.team.turns.add(w)
	return w.wait(ctx, w.over)
}

// turn does one turn for the waiting writers: memory gets the remote's state, they write, and
// their changes go to the remote. Nothing goes there without a note in the audit.
func turn(ctx context.Context, m *Memory, waiting []*waiter) error {
	writers := writersOf(waiting)
	if len(writers) == 0 {
		return exchangeNow(ctx, m, exchange.Options{})
	}
	return m.team.records.Exclude(ctx, m.team.repository, teamWriteWait, func() error {
		if err := exchangeNow(ctx, m, exchange.Options{}); err != nil {
			return err
		}
		for _, w := range writers {
			close(w.begun)
		}
		for _, w := range writers {
			<-w.left
		}
		if err := m.team.audit(ctx); err != nil {
			return err
		}
		return exchangeNow(ctx, m, exchange.Options{Unmoved: true})
	})
}

// floodRest is how long a remote that sent too much is not asked.
const floodRest = 5 * time.Minute

// exchangeNow syncs memory with the remote, and brings the index up to date.
func exchangeNow(ctx context.Context, m *Memory, o exchange.Options) (err error) {
	if time.Now().Before(m.team.rest) {
		return memref.ErrTooMuch
	}
	defer func() {
		if errors.Is(err, memref.ErrTooMuch) {
			m.team.rest = time.Now().Add(floodRest)
		}
	}()
	s, err := openToShare(ctx, m.silent())
	if err != nil {
		return err
	}
	ref, err := m.team.findRef(ctx, s.CommonDir)
	if err != nil {
		return err
	}
	done, err := purging(ctx, s, &sharing{m.team.remote, ref, share.All}, o)
	if err == nil && len(done.Clones) > 0 {
		m.team.ref = ref
	}
	if err == nil || len(done.Refused) > 0 {
		m.team.refuse(done.Refused)
	}
	if len(done.News) > 0 || done.Adopted || done.Pushed {
		m.team.forAll.Store(reindexForAll(ctx, s))
	}
	return shareError(err)
}

// reindexForAll brings the index up to date, and reports whether it has facts for all
// repositories, or cannot be read.
func reindexForAll(ctx context.Context, s *openMemory) bool {
	has := true
	degraded, err := withSynced(ctx, s, func(db *openIndex) error {
		list, err := db.Namespaces(ctx)
		has = err != nil || slices.Contains(list, memory.TeamNamespace)
		return nil
	})
	s.degraded("sync", appendError(degraded, err))
	return has
}

// adopt takes over the files that another server of the team wrote.
func adopt(ctx context.Context, s *openMemory, files map[string][]byte, purged bool) error {
	before, err := s.store.ForgottenIDs(ctx)
	if err == nil {
		err = s.store.Become(ctx, "sync", func(map[string][]byte) map[string][]byte { return files })
	}
	if err != nil || !purged {
		return err
	}
	after, err := s.store.ForgottenIDs(ctx)
	if err != nil {
		return err
	}
	var gone []string
	for id := range after {
		if !before[id] {
			gone = append(gone, id)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	_, err = s.store.Purge(ctx, gone, writeback.Traces{})
	return err
}

package app

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"agentflow/gitwatch/memref"
	"agentflow/index/postgres"
	"agentflow/internal/agentlimit"
	"agentflow/internal/config"
	"agentflow/internal/share"
	"agentflow/internal/share/exchange"
	"agentflow/internal/team"
	"agentflow/internal/writeturns"
)

// TeamAuthor signs writes through a team's server. Each fact names the person who stored it.
const TeamAuthor = "team server"

// Teamwork is the additional state of a repository's memory on a team's server.
type Teamwork struct {
	Repository string
	Remote     string // its address
	Index      string // name of its index in the database
	Key        ed25519.PrivateKey
	Records    *team.Records
	WriteTime  time.Duration // for a write to be on the remote
	Turns      *writeturns.Queue
	Ref        string      // ref of the remote's shared memory; empty: there is none yet. Used by one turn at a time
	Rest       time.Time   // the remote sent too much, and is not asked until then. Used by one turn at a time
	ForAll     atomic.Bool // a clone shares a fact of the team's namespace here

	mu     sync.Mutex
	notes  []team.Change                 // written, but not in the audit yet
	agents map[string]*agentlimit.Writes // by the names of callers
	places *strings.Replacer             // see Conceal

	refused map[share.CloneID]string // why folders are refused now
	untold  []string                 // refusals that were not reported yet
}

// agentsOf returns the counts of the changes made by a caller's agents.
func (t *Teamwork) agentsOf(caller string) *agentlimit.Writes {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.agents == nil {
		t.agents = map[string]*agentlimit.Writes{}
	}
	if t.agents[caller] == nil {
		t.agents[caller] = &agentlimit.Writes{}
	}
	return t.agents[caller]
}

// adjust sets the settings that a team's server needs, over those of the files.
func (t *Teamwork) adjust(c *config.Config) {
	c.Memory.Enabled = true
	c.Index.Store, c.Index.Name, c.Index.Contents, c.Index.Include = postgres.Name, t.Index, false, nil
	c.Share.Auto, c.Share.What = false, string(share.All)
	c.Team.URL = ""
}

// FindRef returns the ref of the remote's shared memory: the branch of 'agentflow share
// --branch', or else the ref. It looks again until one exists.
func (t *Teamwork) FindRef(ctx context.Context, dir string) (string, error) {
	if t.Ref != "" {
		return t.Ref, nil
	}
	branches := []string{exchange.Branch, exchange.OtherBranch}
	has, err := memref.Repo{Dir: dir, Private: true}.Has(ctx, t.Remote, branches...)
	for _, branch := range branches {
		if has[branch] && err == nil {
			return branch, nil
		}
	}
	return exchange.Ref, err
}

// Note keeps a change for the audit.
func (t *Teamwork) Note(c team.Change) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.notes = append(t.notes, c)
}

// Audit writes the noted changes to the audit. Changes that cannot be written wait.
func (t *Teamwork) Audit(ctx context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.notes) > 0 {
		if err := t.Records.Note(ctx, t.notes[0]); err != nil {
			return fmt.Errorf("noting who wrote it: %w", err)
		}
		t.notes = t.notes[1:]
	}
	return nil
}

// Writing makes an operation that writes wait for its turn on a team's server. During the turn
// memory has the remote's state, and no other server writes. Elsewhere Writing does nothing. The
// operation calls end as its last step. After end, the change is on the remote and in the
// audit, or *err says that it is not.
func Writing(ctx context.Context, o *Operation) (end func(err *error), err error) {
	if err := o.MayWrite(); err != nil {
		return nil, err
	}
	if !o.Policy.Team {
		return func(*error) {}, nil
	}
	w := writeturns.NewWaiter(true)
	o.Team.Turns.Add(w)
	wait, cancel := context.WithTimeoutCause(ctx, o.Team.WriteTime, ErrSlow)
	if err := w.Wait(wait, w.Begun); err != nil {
		cancel()
		w.Leave()
		return nil, unavailableNow("writing the team's memory", err)
	}
	return func(err *error) {
		defer cancel()
		w.Leave()
		if *err != nil {
			return
		}
		if e := w.Wait(wait, w.Over); e != nil {
			*err = &Error{Kind: KindUnavailable, Err: fmt.Errorf("it is not on the remote yet: %w", e), Hint: "ask again: nothing is written twice"}
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

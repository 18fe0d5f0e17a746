package writeback

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"agentflow/internal/filelock"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/journal"
)

// Pending names the entries that the log holds and Markdown does not yet.
// It takes no lock; an append that is going on may be among them.
func (s *Store) Pending(ctx context.Context) ([]Ref, error) {
	refs := []Ref{}
	var failed error
	for _, j := range []journal.Log{s.main, s.fallback} {
		if j.Dir == "" {
			continue
		}
		v, err := s.waiting(ctx, j)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("reading the log: %w", err))
			continue
		}
		for _, p := range v.pending {
			refs = append(refs, Ref{ID: p.ID, Title: p.Title, File: p.File})
		}
	}
	sortRefs(refs)
	return refs, failed
}

// waiting is a view that holds what is pending in a log.
func (s *Store) waiting(ctx context.Context, l journal.Log) (*view, error) {
	if last := readSeen(s.State, false); last != nil && l.Dir == s.State {
		if v, _, err := s.unfinished(ctx, last); v != nil || err != nil {
			return v, err
		}
	}
	v := newView()
	_, err := v.load(ctx, l)
	return v, err
}

// Holder says who is writing memory now; empty when nobody is.
func (s *Store) Holder() string {
	for _, dir := range []string{s.State, s.Fallback} {
		if dir == "" {
			continue
		}
		path := filepath.Join(dir, "lock")
		if held, err := filelock.Held(path); err == nil && held {
			return filelock.Read(path).String()
		}
	}
	return ""
}

// Exclude runs f while nobody writes memory: for taking it away. It fails
// with ErrLocked when somebody writes now.
func (s *Store) Exclude(ctx context.Context, f func() error) error {
	w, err := s.begin(ctx, s.Command, s.EditWait)
	if err != nil {
		return locked(err)
	}
	return errors.Join(f(), w.release())
}

// Lost names what Restore can bring back: entries and facts that vanished,
// and those that were forgotten. It takes no lock.
func (s *Store) Lost(ctx context.Context) ([]Ref, error) {
	v, err := s.logged(ctx)
	if err != nil {
		return nil, err
	}
	refs := make([]Ref, 0, len(v.lost))
	for _, l := range v.lost {
		refs = append(refs, l.Ref)
	}
	sortRefs(refs)
	return refs, nil
}

// Forgotten are the facts that were forgotten, those of forgotten entries
// too, as far as their text was not purged. It takes no lock.
func (s *Store) Forgotten(ctx context.Context) ([]memory.Fact, error) {
	v, err := s.logged(ctx)
	if err != nil {
		return nil, err
	}
	var facts []memory.Fact
	for _, l := range v.lost {
		if !l.forgotten {
			continue
		}
		for _, f := range markdown.Parse(l.text).Facts() {
			facts = append(facts, f.Fact)
		}
	}
	return facts, nil
}

// ForgottenIDs are the ids of all entries and facts that were forgotten, purged ones too. It
// takes no lock.
func (s *Store) ForgottenIDs(ctx context.Context) (map[string]bool, error) {
	v, err := s.logged(ctx)
	if err != nil {
		return nil, err
	}
	ids := map[string]bool{}
	for id, l := range v.lost {
		if !l.forgotten {
			continue
		}
		ids[id] = true
		for _, of := range markdown.Parse(l.text).IDs() {
			ids[of] = true
		}
	}
	return ids, nil
}

// Buried gives a function that says whether an entry or a fact was forgotten or purged, and
// not brought back. It takes no lock.
func (s *Store) Buried(ctx context.Context) (func(id string) bool, error) {
	v, err := s.logged(ctx)
	if err != nil {
		return nil, err
	}
	return func(id string) bool { return v.tombs[tombstone(id)] }, nil
}

// logged is what the log says, without a lock.
func (s *Store) logged(ctx context.Context) (*view, error) {
	v := newView()
	if _, err := v.load(ctx, s.main); err != nil {
		return nil, fmt.Errorf("reading the log: %w", err)
	}
	return v, nil
}

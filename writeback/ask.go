package writeback

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"agentflow/internal/filelock"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/items"
	"agentflow/writeback/internal/journal"
)

// Pending names the entries that are in the log and not yet in Markdown. It takes no lock, so it
// may include an append in progress.
func (s *Store) Pending(ctx context.Context) ([]Ref, error) {
	refs := []Ref{}
	var failed error
	for _, j := range []journal.Log{s.logs.Main, s.logs.Spare} {
		if j.Dir == "" {
			continue
		}
		v, err := s.logs.Waiting(ctx, j)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("reading the log: %w", err))
			continue
		}
		for _, p := range v.Pending {
			refs = append(refs, Ref{ID: p.ID, Title: p.Title, File: p.File})
		}
	}
	items.SortRefs(refs)
	return refs, failed
}

// Holder describes the process that is writing memory now. It returns "" if there is none.
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

// Exclude runs f, which removes memory, while no other process writes it. It fails with ErrLocked
// if another process is writing now.
func (s *Store) Exclude(ctx context.Context, f func() error) error {
	w, err := s.begin(ctx, s.Command, s.EditWait)
	if err != nil {
		return locked(err)
	}
	return errors.Join(f(), w.Release())
}

// Lost names the entries and facts that Restore can bring back: those that vanished and those that
// were forgotten. It takes no lock.
func (s *Store) Lost(ctx context.Context) ([]Ref, error) {
	v, err := s.logs.Logged(ctx)
	if err != nil {
		return nil, err
	}
	refs := make([]Ref, 0, len(v.Lost))
	for _, l := range v.Lost {
		refs = append(refs, l.Ref)
	}
	items.SortRefs(refs)
	return refs, nil
}

// Forgotten returns the facts that were forgotten, including those of forgotten entries, unless
// their text was purged. It takes no lock.
func (s *Store) Forgotten(ctx context.Context) ([]memory.Fact, error) {
	v, err := s.logs.Logged(ctx)
	if err != nil {
		return nil, err
	}
	var facts []memory.Fact
	for _, l := range v.Lost {
		if !l.Forgotten {
			continue
		}
		for _, f := range markdown.Parse(l.Text).Facts() {
			facts = append(facts, f.Fact)
		}
	}
	return facts, nil
}

// ForgottenIDs returns the ids of all entries and facts that were forgotten, including purged ones.
// It takes no lock.
func (s *Store) ForgottenIDs(ctx context.Context) (map[string]bool, error) {
	v, err := s.logs.Logged(ctx)
	if err != nil {
		return nil, err
	}
	ids := map[string]bool{}
	for id, l := range v.Lost {
		if !l.Forgotten {
			continue
		}
		ids[id] = true
		for _, of := range markdown.Parse(l.Text).IDs() {
			ids[of] = true
		}
	}
	return ids, nil
}

// Buried returns a function that reports whether an entry or a fact was forgotten or purged, and
// not restored since. It takes no lock.
func (s *Store) Buried(ctx context.Context) (func(id string) bool, error) {
	v, err := s.logs.Logged(ctx)
	if err != nil {
		return nil, err
	}
	return func(id string) bool { return v.Tombs[items.Tombstone(id)] }, nil
}

// Authors returns, by file, the agent that last changed each file of notes. It takes no lock.
func (s *Store) Authors(ctx context.Context) (map[string]Author, error) {
	v, err := s.logs.Logged(ctx)
	if err != nil {
		return nil, err
	}
	authors := map[string]Author{}
	for name, w := range v.Written {
		if _, there := v.Files.Of[name]; there && w.Author != nil {
			authors[name] = *w.Author
		}
	}
	return authors, nil
}

package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"agentflow/index/store"
)

// Name registers the store.
const Name = "sqlite"

func init() {
	store.Register(Name, store.Kind{Open: Open, Can: store.Abilities{Vectors: true, Transactions: true}})
}

// Store is an index in a file, or in memory.
type Store struct {
	path string
	o    store.Options

	// mu is held for reading while a handle is used, and for writing while it
	// is replaced.
	mu     sync.RWMutex
	h      *handle
	closed bool

	searchedBefore atomic.Bool
}

// handle is one opened file, or one index in memory.
type handle struct {
	*Store
	pool     *sql.DB
	info     os.FileInfo // of the file when it was opened; nil in memory
	state    store.State // when it was opened: Current, or a state that the next Sync replaces
	why      string      // the reason for a state that is not Current
	replaced atomic.Bool // Anew has replaced the tables
}

// current reports whether the tables have this version.
func (h *handle) current() bool { return h.state == store.Current || h.replaced.Load() }

// State returns the state of the file for this program.
func (h *handle) State() (store.State, string) {
	if h.current() {
		return store.Current, ""
	}
	return h.state, h.why
}

// Open opens the index at o.Path. It creates the file (mode 0600) and its
// folder (0700) if absent, and moves a damaged file aside and creates a new
// one. Path "" means an index in memory. A path that cannot be written is not
// an error: the index is then kept in memory for this process, and o.Notice
// reports it.
func Open(ctx context.Context, o store.Options) (store.Store, error) {
	s := &Store{path: o.Path, o: o}
	if err := s.open(ctx); err != nil {
		return nil, fmt.Errorf("opening the index %s: %w", o.Path, err)
	}
	return s, nil
}

// Close ends all use of the index; it waits for calls in progress.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	return s.h.close()
}

func (h *handle) close() error {
	if h == nil || h.pool == nil {
		return nil
	}
	return h.pool.Close()
}

// open sets the handle; s.mu is held for writing, or s is not yet shared.
func (s *Store) open(ctx context.Context) error {
	h, err := s.openFile(ctx)
	if err != nil && isUnwritable(err) {
		return s.openMemory(ctx, err)
	}
	if err != nil {
		return err
	}
	s.h = h
	return nil
}

// openMemory replaces an index that cannot be written by one in memory.
func (s *Store) openMemory(ctx context.Context, why error) error {
	h, err := s.create(ctx, "")
	if err != nil {
		return err
	}
	s.o.Notice(fmt.Sprintf("the index is kept in memory for now: %v", why))
	s.h = h
	return nil
}

func (s *Store) openFile(ctx context.Context) (*handle, error) {
	if s.path == "" {
		return s.create(ctx, "")
	}
	if s.o.ReadOnly {
		return s.openReadOnly(ctx)
	}
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return nil, err
	}
	if h, err := s.tryOpen(ctx, shared); err != nil || h.pool != nil {
		return h, err
	}
	unlock, err := lockSwap(ctx, s.path+".lock", true)
	if err != nil {
		return nil, err
	}
	defer unlock()
	// Another process that held the lock may have repaired the file.
	h, err := s.tryOpen(ctx, locked)
	if err != nil {
		return nil, err
	}
	if h.pool != nil { // its later connections must take the lock themselves
		return h, h.reconnect(s.path)
	}
	if h.state == store.Damaged {
		if err := moveAside(s.path); err != nil {
			return nil, err
		}
		s.o.Notice("the search index was rebuilt: " + h.why)
	}
	return s.create(ctx, s.path)
}

func (s *Store) openReadOnly(ctx context.Context) (*handle, error) {
	h, err := s.tryOpen(ctx, readOnly)
	if err != nil || h.current() {
		return h, err
	}
	return nil, errors.Join(fmt.Errorf("%w, and the index is %s: %s", errReadOnly, h.state, h.why), h.close())
}

// tryOpen opens the file if it is an index of any version. Otherwise the handle
// has no pool.
func (s *Store) tryOpen(ctx context.Context, how access) (*handle, error) {
	pool, err := newPool(s.path, how)
	if err != nil {
		return nil, err
	}
	info, p, err := inspect(ctx, s.path, pool)
	if err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	h := &handle{Store: s, pool: pool, info: info}
	if h.state, h.why = decide(p, s.o.Identity); h.state == store.Absent || h.state == store.Damaged {
		h.pool = nil
		return h, pool.Close()
	}
	return h, nil
}

// reconnect replaces the connections by connections that take the swap lock.
func (h *handle) reconnect(path string) error {
	if err := h.pool.Close(); err != nil {
		return err
	}
	pool, err := newPool(path, shared)
	h.pool = pool
	return err
}

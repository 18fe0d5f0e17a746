package index

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"agentflow/index/store"
)

// DB is an open index. Its methods may be called from any goroutine.
type DB struct {
	store.Store
	path string
	o    Options
	now  func() time.Time // time.Now, except in tests

	mu      sync.Mutex
	sources []Source     // of the last Sync or AskListed: texts are read, and a damaged index is rebuilt, from them
	filled  store.Handle // the handle that was used last

	resting  atomic.Pointer[embedderPause]
	last     atomic.Pointer[edition] // the edition that AskListed searched last
	changing atomic.Bool             // it differed from the edition of the search before
}

// Open opens the index at path, or in o.Server. It creates the file (mode 0600)
// and its folder (0700) if absent, and moves a damaged file aside and creates a
// new one. Path "" means an index in memory. A path that cannot be written is
// not an error: the index is then kept in memory for this process, and Notice
// reports it.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	d := &DB{path: path, o: o.withDefaults(), now: time.Now}
	var err error
	d.Store, err = store.Open(ctx, d.o.Server.Store, store.Options{Path: path, DSN: o.Server.DSN, ReadDSN: o.Server.ReadDSN, Repository: o.Server.Repository,
		Identity: identity(d.o), Embedder: embedderKey(d.o), ReadOnly: o.ReadOnly, Notice: func(what string) { d.o.Notice(what) }})
	if err != nil {
		return nil, err
	}
	err = d.With(ctx, func(h store.Handle) error {
		d.filled = h
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// identity returns the settings that an index must have been built with to be
// used.
func identity(o Options) string {
	return fmt.Sprintf("chunk=%d/%d", o.ChunkTokens, o.ChunkOverlap)
}

// edition identifies one state of an index: two transactions with the same
// edition see the same texts and vectors.
type edition struct {
	h    store.Handle
	name string // changes with every write except to listings
}

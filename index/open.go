package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"agentflow/embed"
	"agentflow/index/contents"
	"agentflow/index/files"
	"agentflow/index/rank"
)

// Options say how an index is opened. The zero value works.
type Options struct {
	ChunkTokens  int     // most tokens in one chunk; 0 means 400
	ChunkOverlap int     // tokens two neighbouring chunks share; 0 means 80
	Ranking      Ranking // the zero value means DefaultRanking
	// Embedder makes vectors; nil means that search is by keywords only, and
	// that vectors of an earlier embedder stay as they are.
	Embedder embed.Embedder
	// EmbedTimeout is how long the embedding of a query may take; 0 means 1 s, or as
	// long as a slow embedder says.
	EmbedTimeout time.Duration
	// Notice receives, once, what was repaired and why ("rebuilt: …"); may be
	// nil. It is called on the goroutine of the call that noticed.
	Notice func(string)
	// Lacking receives what a Search had to do without, and why; may be nil. It
	// is called on the goroutine of the Search.
	Lacking func(string)
	// Progress receives how far a Sync or Rebuild has come, after every part
	// of a file; may be nil. It is called on the goroutine of the Sync, while
	// the write lock is held.
	Progress func(Progress)
	// ReadOnly leaves the file alone: an index that is not up to date is
	// built in memory instead, for this process.
	ReadOnly bool
	// Contents looks stems up in the files of the work tree; nil, or a result
	// without files, means that nothing is known of them.
	Contents func(ctx context.Context, hashes []uint32) (contents.Found, error)
	// Weights are those of the file model; the zero value means files.Default.
	Weights files.Both
	// Files is told of the files of each search; may be nil. Who fits the weights
	// sets it.
	Files func(*files.Ranked)
	// Known is told what each search found to tell whether memory knows what the
	// query is about; may be nil. Who fits the weights of the gate sets it.
	Known func(rank.Knowledge)
}

func (o Options) withDefaults() Options {
	if o.ChunkTokens <= 0 {
		o.ChunkTokens = 400
	}
	if o.ChunkOverlap <= 0 {
		o.ChunkOverlap = 80
	}
	if o.Ranking == (Ranking{}) {
		o.Ranking = DefaultRanking()
	}
	if o.Weights == (files.Both{}) {
		o.Weights = files.Default()
	}
	if o.EmbedTimeout <= 0 {
		o.EmbedTimeout = time.Second
		if o.Embedder != nil && o.Embedder.Info().Slow > 0 {
			o.EmbedTimeout = o.Embedder.Info().Slow
		}
	}
	if o.Notice == nil {
		o.Notice = func(string) {}
	}
	if o.Lacking == nil {
		o.Lacking = func(string) {}
	}
	return o
}

var errReadOnly = errors.New("opened for reading only")

// DB is an open index. Its methods may be called from any goroutine.
type DB struct {
	path string
	o    Options
	now  func() time.Time // time.Now, but in tests

	// mu is held for reading while a handle is used, for writing while it is
	// replaced.
	mu      sync.RWMutex
	h       *handle
	sources []Source // of the last Sync or AskListed: what texts are read from, and a rebuild reads
	closed  bool

	resting        atomic.Pointer[rest]
	searchedBefore atomic.Bool
	last           atomic.Pointer[edition] // that AskListed searched last
	changing       atomic.Bool             // it was another one than the time before
}

// handle is one opened file, or one index in memory.
type handle struct {
	pool     *sql.DB
	info     os.FileInfo // of the file at opening; nil in memory
	state    State       // at opening: Current, or what Sync has to replace
	why      string      // the reason, when not Current
	replaced atomic.Bool // Sync has done so
}

// current says whether the tables are those of this version.
func (h *handle) current() bool { return h.state == Current || h.replaced.Load() }

// Open opens the index at path, creating it and its folder (0700; the file
// 0600) when absent, moving it aside and creating it when damaged. Path ""
// means an index in memory. A place that cannot be written is no error: the
// index is then kept in memory for this process, and Notice says so.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	d := &DB{path: path, o: o.withDefaults(), now: time.Now}
	if err := d.open(ctx); err != nil {
		return nil, fmt.Errorf("opening the index %s: %w", path, err)
	}
	return d, nil
}

// Close ends all use of the index; it waits for calls in progress.
func (d *DB) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil
	}
	d.closed = true
	return d.h.close()
}

func (h *handle) close() error {
	if h == nil || h.pool == nil {
		return nil
	}
	return h.pool.Close()
}

// open gives d a handle; d.mu is held for writing, or d is not shared yet.
func (d *DB) open(ctx context.Context) error {
	h, err := d.openFile(ctx)
	if err != nil && isUnwritable(err) {
		return d.openMemory(ctx, err)
	}
	if err != nil {
		return err
	}
	d.h = h
	return nil
}

// openMemory puts an index in memory in the place of one that cannot be
// written.
func (d *DB) openMemory(ctx context.Context, why error) error {
	h, err := create(ctx, "", d.o)
	if err != nil {
		return err
	}
	d.o.Notice(fmt.Sprintf("the index is kept in memory for now: %v", why))
	d.h = h
	return nil
}

func (d *DB) openFile(ctx context.Context) (*handle, error) {
	if d.path == "" {
		return create(ctx, "", d.o)
	}
	if d.o.ReadOnly {
		return d.openReadOnly(ctx)
	}
	if err := os.MkdirAll(filepath.Dir(d.path), 0o700); err != nil {
		return nil, err
	}
	if h, err := d.tryOpen(ctx, shared); err != nil || h.pool != nil {
		return h, err
	}
	unlock, err := lockSwap(ctx, d.path+".lock", true)
	if err != nil {
		return nil, err
	}
	defer unlock()
	// Whoever held the lock before may have put it right.
	h, err := d.tryOpen(ctx, locked)
	if err != nil {
		return nil, err
	}
	if h.pool != nil { // its next connections must take the lock themselves
		return h, h.reconnect(d.path)
	}
	if h.state == Damaged {
		if err := moveAside(d.path); err != nil {
			return nil, err
		}
		d.o.Notice("the search index was rebuilt: " + h.why)
	}
	return create(ctx, d.path, d.o)
}

func (d *DB) openReadOnly(ctx context.Context) (*handle, error) {
	h, err := d.tryOpen(ctx, readOnly)
	if err != nil || h.current() {
		return h, err
	}
	return nil, errors.Join(fmt.Errorf("%w, and the index is %s: %s", errReadOnly, h.state, h.why), h.close())
}

// tryOpen opens the file if it is an index of some version; otherwise the handle
// has no pool.
func (d *DB) tryOpen(ctx context.Context, how access) (*handle, error) {
	pool, err := newPool(d.path, how)
	if err != nil {
		return nil, err
	}
	info, p, err := inspect(ctx, d.path, pool)
	if err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	h := &handle{pool: pool, info: info}
	if h.state, h.why = decide(p, identity(d.o)); h.state == Absent || h.state == Damaged {
		h.pool = nil
		return h, pool.Close()
	}
	return h, nil
}

// reconnect gives h connections that take the swap lock.
func (h *handle) reconnect(path string) error {
	if err := h.pool.Close(); err != nil {
		return err
	}
	pool, err := newPool(path, shared)
	h.pool = pool
	return err
}

package index

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"agentflow/embed"
	"agentflow/index/contents"
	"agentflow/index/files"
	"agentflow/index/rank"
	"agentflow/index/sqlite"
	"agentflow/index/store"
)

// Options say how an index is opened. The zero value works.
type Options struct {
	// Server is the database server that keeps the index instead of a file; the zero
	// value means none.
	Server       Server
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
	// Trusted are the prefixes of the sources whose shared text ranks as the user's own.
	Trusted []string
	// Naming are the prefixes of the shared sources in which each fact names the person
	// who stored it. In others the author of a fact is the author of its source.
	Naming []string
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

// Server is a store that is a server.
type Server struct {
	Store      string // its registered name: see store.Register
	DSN        string
	ReadDSN    string // of a replica, for what only reads; "" means DSN
	Repository string // what the index is of; "" stands for all repositories, and only reads
}

func (o Options) withDefaults() Options {
	if o.Server.Store == "" {
		o.Server.Store = sqlite.Name
	}
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

// DB is an open index. Its methods may be called from any goroutine.
type DB struct {
	store.Store
	path string
	o    Options
	now  func() time.Time // time.Now, but in tests

	mu      sync.Mutex
	sources []Source     // of the last Sync or AskListed: what texts are read from, and a rebuild reads
	filled  store.Handle // that was used last

	resting  atomic.Pointer[rest]
	last     atomic.Pointer[edition] // that AskListed searched last
	changing atomic.Bool             // it was another one than the time before
}

// Open opens the index at path, or in o.Server, creating it and its folder (0700; the file
// 0600) when absent, moving it aside and creating it when damaged. Path ""
// means an index in memory. A place that cannot be written is no error: the
// index is then kept in memory for this process, and Notice says so.
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

// identity is what else an index must agree in to be used as it is.
func identity(o Options) string {
	return fmt.Sprintf("chunk=%d/%d", o.ChunkTokens, o.ChunkOverlap)
}

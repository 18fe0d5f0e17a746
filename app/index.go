package app

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"agentflow/app/api"
	"agentflow/index"
	"agentflow/index/contents"
	"agentflow/index/store"
)

// IndexRequest holds the options of Index.
type IndexRequest struct {
	Rebuild bool // make a new index from the Markdown
}

// IndexResult reports the work that Index did.
type IndexResult struct {
	Report   *api.IndexReport // nil when the index is not up to date
	Degraded []string
}

// WithIndex opens the index, calls use with it, and gives it back. Notices report oddities of the index. The error
// comes from opening it or from use.
func (s *Repo) WithIndex(ctx context.Context, use func(*OpenIndex) error) (notices []string, err error) {
	db, notices, err := NewOpenIndex(ctx, s)
	if err != nil {
		return notices, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return notices, use(db)
}

// OpenIndex is an index in use by one operation at a time. Close gives it back to the Memory, and the next operation
// with the same settings reuses it.
type OpenIndex struct {
	*index.DB
	settings string // all settings that it was opened with
	user     *Repo  // the operation's memory
	pool     *indexPool
	contents *contents.Store // of the files of the work tree; nil: not kept
}

// Close ends the operation's use of the index.
func (o *OpenIndex) Close() error { return o.pool.put(o) }

// findContents looks up stems in the files of the work tree. It removes a damaged store, and the next update makes a
// new one.
func (o *OpenIndex) findContents(ctx context.Context, hashes []uint32) (contents.Found, error) {
	found, err := o.contents.Find(ctx, hashes)
	if contents.Damaged(err) {
		err = errors.Join(err, contents.Remove(ctx, o.user.Contents()))
	}
	return found, err
}

// answers reports whether the database of the index responds.
func (o *OpenIndex) answers(ctx context.Context) bool {
	return o.With(ctx, func(store.Handle) error { return nil }) == nil
}

// shut closes the database and the contents.
func (o *OpenIndex) shut() error {
	err := o.DB.Close()
	if o.contents != nil {
		err = errors.Join(err, o.contents.Close())
	}
	return err
}

// maxIdle is the number of unused indexes that a Memory keeps open.
const maxIdle = 4

// indexPool keeps indexes open between the operations of a Memory. It is safe for concurrent use.
type indexPool struct {
	mu     sync.Mutex
	Idle   []*OpenIndex // the last one is the most recently used
	lent   atomic.Int32 // number of indexes in use
	closed bool
	turns  chan struct{} // holds a token for each search in progress
}

// NewIndexPool returns an empty pool of open indexes.
func NewIndexPool() *indexPool {
	return &indexPool{turns: make(chan struct{}, min(max(2, runtime.GOMAXPROCS(0)), maxIdle))}
}

// Turn waits until a search may begin. More searches at once than processors would take as long, and each would read
// the index into separate memory. Turns are granted in the order of the calls.
func (p *indexPool) Turn(ctx context.Context) (leave func(), err error) {
	select {
	case p.turns <- struct{}{}:
		return func() { <-p.turns }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// take removes and returns the most recently used idle index with these settings, as most of it is cached. It returns
// nil if there is none.
func (p *indexPool) take(settings string) *OpenIndex {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, o := range slices.Backward(p.Idle) {
		if o.settings == settings {
			p.Idle = slices.Delete(p.Idle, i, i+1)
			return o
		}
	}
	return nil
}

// put takes an index back. It closes an index in memory, so that the next operation tries the disk again. If too many
// are idle, it closes the one that was idle longest.
func (p *indexPool) put(o *OpenIndex) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	o.user = nil
	p.lent.Add(-1)
	if p.closed || o.InMemory() {
		return o.shut()
	}
	p.Idle = append(p.Idle, o)
	if len(p.Idle) <= maxIdle {
		return nil
	}
	oldest := p.Idle[0]
	p.Idle = slices.Delete(p.Idle, 0, 1)
	return oldest.shut()
}

// close closes all idle indexes, and makes put close the indexes that are still in use.
func (p *indexPool) close() (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, o := range p.Idle {
		if e := o.shut(); err == nil {
			err = e
		}
	}
	p.Idle = nil
	return err
}

// NewOpenIndex opens the index, or takes an open one from the pool. Notices report oddities of the index. Only WithIndex
// and a watcher that keeps the index between updates may call it. They close the index in any case.
func NewOpenIndex(ctx context.Context, s *Repo) (db *OpenIndex, notices []string, err error) {
	path, server, notices := indexPlace(ctx, s)
	embedder, err := EmbedderFor(s)
	notices = AppendError(notices, err)
	c := s.Settings
	known := ""
	if HasContents(s) {
		known = s.Contents()
	}
	settings := fmt.Sprintf("%q %q %q %q %q %+v %+v %+v %+v %t", path, server, Trusted(s), naming(s), known, c.Chunk, c.Recall, c.Embed, c.Redact, embedder == nil)
	if o := s.Indexes.take(settings); o != nil {
		if server.Store == "" || o.answers(ctx) {
			o.user = s
			s.Indexes.lent.Add(1)
			return o, notices, nil
		}
		_ = o.shut() // opening it reports why
	}
	ranking := index.DefaultRanking()
	ranking.HalfLife, ranking.Floor, ranking.Gate = c.Recall.HalfLife, c.Recall.Floor, c.Recall.Gate
	o := &OpenIndex{settings: settings, user: s, pool: s.Indexes}
	options := index.Options{
		Server: server, Trusted: Trusted(s), Naming: naming(s),
		ChunkTokens: c.Chunk.MaxTokens, ChunkOverlap: c.Chunk.Overlap, Ranking: ranking, Embedder: embedder,
		Lacking: func(line string) { o.user.Vectors.lacks(line) },
		Notice:  func(what string) { noticed(o.user, what) },
		Progress: func(p index.Progress) {
			if o.user.Progress != nil {
				o.user.Progress(p)
			}
		},
	}
	if known != "" {
		o.contents = contents.OpenStore(known)
		options.Contents = o.findContents
	}
	o.DB, err = index.Open(ctx, path, options)
	if err != nil && server.Store != "" && ctx.Err() == nil {
		notices = append(notices, fmt.Sprintf("the index is kept in memory: %v", err))
		options.Server = index.Server{}
		o.DB, err = index.Open(ctx, "", options)
	}
	if err != nil {
		return nil, notices, fmt.Errorf("opening the index: %w", err)
	}
	s.Indexes.lent.Add(1)
	return o, notices, nil
}

// noticed reports a notice of the index. It reports only once that a new embedder makes all vectors again, although the
// user's own memory has an index too.
func noticed(s *Repo, what string) {
	if embedder, _, cut := strings.Cut(what, " now, and was "); !cut || s.Vectors.Notices.First(embedder) {
		s.Say("%s", what)
	}
}

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
	"time"

	"agentflow/api"
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

// Index updates the index, and completes missing vectors. If only vectors are missing, it returns both a report and an
// error. An update that ended early continues at the next call. A rebuild that ended early leaves the old index as it
// was.
func Index(ctx context.Context, m *Memory, req IndexRequest) (result IndexResult, err error) {
	o := m.begin(ctx)
	defer o.end(&result.Degraded, &err)
	if err := o.mayWrite(); err != nil {
		return result, err
	}
	s, err := o.openRecovered(ctx)
	if err == nil {
		result.Report, err = makeIndex(ctx, s, req.Rebuild)
	}
	return result, err
}

func makeIndex(ctx context.Context, s *openMemory, rebuild bool) (report *api.IndexReport, err error) {
	start := time.Now()
	bar := newBar(s.operation, "indexing")
	s.progress, s.patient = bar.files, true
	notices, err := s.withIndex(ctx, func(db *openIndex) error {
		report, err = fillIndex(ctx, s, db, bar, rebuild)
		return err
	})
	s.degraded("index", notices)
	if report != nil {
		report.DurationMS = time.Since(start).Milliseconds()
	}
	return report, err
}

// fillIndex does the work of makeIndex on an open index.
func fillIndex(ctx context.Context, s *openMemory, db *openIndex, bar *bar, rebuild bool) (*api.IndexReport, error) {
	sync := db.Sync
	if rebuild {
		sync = db.Rebuild
	}
	report, err := sync(ctx, s.sources(ctx)...)
	bar.end()
	s.degraded("index", report.Skipped)
	if errors.Is(err, index.ErrBusy) && ctx.Err() == nil {
		return nil, &Error{Kind: KindRefused, Err: err, Hint: "run 'agentflow index' again when it has finished"}
	}
	if err != nil {
		return nil, err
	}
	if report.Memory {
		return nil, errors.New("indexing memory: the index cannot be kept on disk")
	}
	bar = newBar(s.operation, "embedding")
	_, missing := db.EmbedPending(ctx, bar.chunks)
	bar.end()
	known := makeContents(ctx, s, rebuild)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	stats, err := db.Stats(ctx)
	return &api.IndexReport{
		Files: report.Files, Included: stats.Included, Entries: stats.Entries, Chunks: stats.Chunks, Vectors: stats.Vectors, Pending: stats.Pending,
		Changed: report.Changed, Removed: report.Removed, Written: report.Chunks, Read: report.Bytes, Bytes: stats.Bytes,
		Skipped: filled(report.Skipped), Rebuilt: rebuild, Contents: known,
	}, errors.Join(missing, err)
}

// withIndex opens the index, calls use with it, and gives it back. Notices report oddities of the index. The error
// comes from opening it or from use.
func (s *openMemory) withIndex(ctx context.Context, use func(*openIndex) error) (notices []string, err error) {
	db, notices, err := newOpenIndex(ctx, s)
	if err != nil {
		return notices, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return notices, use(db)
}

// openIndex is an index in use by one operation at a time. Close gives it back to the Memory, and the next operation
// with the same settings reuses it.
type openIndex struct {
	*index.DB
	settings string      // all settings that it was opened with
	user     *openMemory // the operation's memory
	pool     *indexPool
	contents *contents.Store // of the files of the work tree; nil: not kept
}

// Close ends the operation's use of the index.
func (o *openIndex) Close() error { return o.pool.put(o) }

// findContents looks up stems in the files of the work tree. It removes a damaged store, and the next update makes a
// new one.
func (o *openIndex) findContents(ctx context.Context, hashes []uint32) (contents.Found, error) {
	found, err := o.contents.Find(ctx, hashes)
	if contents.Damaged(err) {
		err = errors.Join(err, contents.Remove(ctx, o.user.Contents()))
	}
	return found, err
}

// answers reports whether the database of the index responds.
func (o *openIndex) answers(ctx context.Context) bool {
	return o.With(ctx, func(store.Handle) error { return nil }) == nil
}

// shut closes the database and the contents.
func (o *openIndex) shut() error {
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
	idle   []*openIndex // the last one is the most recently used
	lent   atomic.Int32 // number of indexes in use
	closed bool
	turns  chan struct{} // holds a token for each search in progress
}

func newIndexPool() *indexPool {
	return &indexPool{turns: make(chan struct{}, min(max(2, runtime.GOMAXPROCS(0)), maxIdle))}
}

// turn waits until a search may begin. More searches at once than processors would take as long, and each would read
// the index into separate memory. Turns are granted in the order of the calls.
func (p *indexPool) turn(ctx context.Context) (leave func(), err error) {
	select {
	case p.turns <- struct{}{}:
		return func() { <-p.turns }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// take removes and returns the most recently used idle index with these settings, as most of it is cached. It returns
// nil if there is none.
func (p *indexPool) take(settings string) *openIndex {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, o := range slices.Backward(p.idle) {
		if o.settings == settings {
			p.idle = slices.Delete(p.idle, i, i+1)
			return o
		}
	}
	return nil
}

// put takes an index back. It closes an index in memory, so that the next operation tries the disk again. If too many
// are idle, it closes the one that was idle longest.
func (p *indexPool) put(o *openIndex) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	o.user = nil
	p.lent.Add(-1)
	if p.closed || o.InMemory() {
		return o.shut()
	}
	p.idle = append(p.idle, o)
	if len(p.idle) <= maxIdle {
		return nil
	}
	oldest := p.idle[0]
	p.idle = slices.Delete(p.idle, 0, 1)
	return oldest.shut()
}

// close closes all idle indexes, and makes put close the indexes that are still in use.
func (p *indexPool) close() (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, o := range p.idle {
		if e := o.shut(); err == nil {
			err = e
		}
	}
	p.idle = nil
	return err
}

// newOpenIndex opens the index, or takes an open one from the pool. Notices report oddities of the index. Only withIndex
// and a watcher that keeps the index between updates may call it. They close the index in any case.
func newOpenIndex(ctx context.Context, s *openMemory) (db *openIndex, notices []string, err error) {
	path, server, notices := indexPlace(ctx, s)
	embedder, err := embedderFor(s)
	notices = appendError(notices, err)
	c := s.settings
	known := ""
	if hasContents(s) {
		known = s.Contents()
	}
	settings := fmt.Sprintf("%q %q %q %q %q %+v %+v %+v %+v %t", path, server, trusted(s), naming(s), known, c.Chunk, c.Recall, c.Embed, c.Redact, embedder == nil)
	if o := s.indexes.take(settings); o != nil {
		if server.Store == "" || o.answers(ctx) {
			o.user = s
			s.indexes.lent.Add(1)
			return o, notices, nil
		}
		_ = o.shut() // opening it reports why
	}
	ranking := index.DefaultRanking()
	ranking.HalfLife, ranking.Floor, ranking.Gate = c.Recall.HalfLife, c.Recall.Floor, c.Recall.Gate
	o := &openIndex{settings: settings, user: s, pool: s.indexes}
	options := index.Options{
		Server: server, Trusted: trusted(s), Naming: naming(s),
		ChunkTokens: c.Chunk.MaxTokens, ChunkOverlap: c.Chunk.Overlap, Ranking: ranking, Embedder: embedder,
		Lacking: func(line string) { o.user.vectors.lacks(line) },
		Notice:  func(what string) { noticed(o.user, what) },
		Progress: func(p index.Progress) {
			if o.user.progress != nil {
				o.user.progress(p)
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
	s.indexes.lent.Add(1)
	return o, notices, nil
}

// noticed reports a notice of the index. It reports only once that a new embedder makes all vectors again, although the
// user's own memory has an index too.
func noticed(s *openMemory, what string) {
	if embedder, _, cut := strings.Cut(what, " now, and was "); !cut || s.vectors.notices.first(embedder) {
		s.say("%s", what)
	}
}

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

// IndexRequest says how the index is brought up to date.
type IndexRequest struct {
	Rebuild bool // make it anew from the Markdown
}

// IndexResult is the work that was done.
type IndexResult struct {
	Report   *api.IndexReport // nil when the index is not up to date
	Degraded []string
}

// Index brings the index up to date, and completes the vectors that wait.
// Where only vectors are missing there are a report and an error. Ended early,
// it goes on from there when it is called again; a rebuild that is ended early
// leaves the old index as it was.
func (m *Memory) Index(ctx context.Context, req IndexRequest) (result IndexResult, err error) {
	o := m.begin(ctx)
	defer o.end(&result.Degraded, &err)
	if err := o.mayWrite(); err != nil {
		return result, err
	}
	s, err := o.openRecovered(ctx)
	if err == nil {
		result.Report, err = s.makeIndex(ctx, req.Rebuild)
	}
	return result, err
}

func (s *openMemory) makeIndex(ctx context.Context, rebuild bool) (report *api.IndexReport, err error) {
	start := time.Now()
	bar := s.newBar("indexing")
	s.progress, s.patient = bar.files, true
	notices, err := s.withIndex(ctx, func(db *openIndex) error {
		report, err = s.fillIndex(ctx, db, bar, rebuild)
		return err
	})
	s.degraded("index", notices)
	if report != nil {
		report.DurationMS = time.Since(start).Milliseconds()
	}
	return report, err
}

// fillIndex does the work of makeIndex on an open index.
func (s *openMemory) fillIndex(ctx context.Context, db *openIndex, bar *bar, rebuild bool) (*api.IndexReport, error) {
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
	bar = s.newBar("embedding")
	_, missing := db.EmbedPending(ctx, bar.chunks)
	bar.end()
	known := s.makeContents(ctx, rebuild)
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

// withIndex runs use on the index as it is, and gives it back. What is odd about it comes
// back as notices; the error is that of opening it, or of use.
func (s *openMemory) withIndex(ctx context.Context, use func(*openIndex) error) (notices []string, err error) {
	db, notices, err := s.openIndex(ctx)
	if err != nil {
		return notices, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return notices, use(db)
}

// openIndex is an index that one operation uses at a time. Close gives it back
// to the Memory, where the next operation with the same settings takes it.
type openIndex struct {
	*index.DB
	settings string      // all that it was opened with
	user     *openMemory // whose operation uses it
	pool     *indexPool
	contents *contents.Store // of the files of the work tree; nil: none is kept
}

// Close ends the operation's use of the index.
func (o *openIndex) Close() error { return o.pool.put(o) }

// findContents looks stems up in the files of the work tree. What turns out to be
// damaged is removed: the next update makes it anew.
func (o *openIndex) findContents(ctx context.Context, hashes []uint32) (contents.Found, error) {
	found, err := o.contents.Find(ctx, hashes)
	if contents.Damaged(err) {
		err = errors.Join(err, contents.Remove(ctx, o.user.Contents()))
	}
	return found, err
}

// answers says whether the database of the index does.
func (o *openIndex) answers(ctx context.Context) bool {
	return o.With(ctx, func(store.Handle) error { return nil }) == nil
}

// shut closes what is open.
func (o *openIndex) shut() error {
	err := o.DB.Close()
	if o.contents != nil {
		err = errors.Join(err, o.contents.Close())
	}
	return err
}

// maxIdle is how many indexes a Memory keeps open while nobody uses them.
const maxIdle = 4

// indexPool keeps indexes open between the operations of a Memory. It is safe
// for concurrent use.
type indexPool struct {
	mu     sync.Mutex
	idle   []*openIndex // the one that was used last stands last
	lent   atomic.Int32 // how many indexes operations use now
	closed bool
	turns  chan struct{} // holds a token for each search that goes on
}

func newIndexPool() *indexPool {
	return &indexPool{turns: make(chan struct{}, min(max(2, runtime.GOMAXPROCS(0)), maxIdle))}
}

// turn waits until a search may begin: more at once than there are processors
// would take as long, and each would read the index into a memory of its own.
// Turns come in the order in which they are asked for.
func (p *indexPool) turn(ctx context.Context) (leave func(), err error) {
	select {
	case p.turns <- struct{}{}:
		return func() { <-p.turns }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// take is the idle index with these settings that was used last, as most of it
// is in memory; nil when there is none.
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

// put takes an index back. One in memory is closed: the next operation tries
// the disk again. So is the one that was idle for longest, when there are many.
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

// close closes all that is idle, and from now on whatever is given back.
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

// openIndex opens the index as it is, or takes one that is open. What is odd
// about it comes back as notices. Only withIndex, and a watcher that keeps it between its
// updates, call it: they close it in any case.
func (s *openMemory) openIndex(ctx context.Context) (db *openIndex, notices []string, err error) {
	path, server, notices := s.indexPlace(ctx)
	embedder, err := s.embedding()
	notices = appendError(notices, err)
	c := s.settings
	known := ""
	if s.hasContents() {
		known = s.Contents()
	}
	settings := fmt.Sprintf("%q %q %q %q %q %+v %+v %+v %+v %t", path, server, s.trusted(), s.naming(), known, c.Chunk, c.Recall, c.Embed, c.Redact, embedder == nil)
	if o := s.indexes.take(settings); o != nil {
		if server.Store == "" || o.answers(ctx) {
			o.user = s
			s.indexes.lent.Add(1)
			return o, notices, nil
		}
		_ = o.shut() // opening it tells why
	}
	ranking := index.DefaultRanking()
	ranking.HalfLife, ranking.Floor, ranking.Gate = c.Recall.HalfLife, c.Recall.Floor, c.Recall.Gate
	o := &openIndex{settings: settings, user: s, pool: s.indexes}
	options := index.Options{
		Server: server, Trusted: s.trusted(), Naming: s.naming(),
		ChunkTokens: c.Chunk.MaxTokens, ChunkOverlap: c.Chunk.Overlap, Ranking: ranking, Embedder: embedder,
		Lacking: func(line string) { o.user.vectors.lacks(line) },
		Notice:  func(what string) { o.user.noticed(what) },
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

// noticed says what happens to the index. That a new embedder makes all
// vectors anew is said once, though the user's own memory has an index too.
func (s *openMemory) noticed(what string) {
	if embedder, _, cut := strings.Cut(what, " now, and was "); !cut || s.vectors.notices.first(embedder) {
		s.say("%s", what)
	}
}

// Package indexpool keeps indexes open between the operations of a memory, and bounds how many searches run at once.
package indexpool

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"agentflow/index"
	"agentflow/index/contents"
	"agentflow/index/store"
)

// Index is an index in use by one operation at a time. Close gives it back to the Memory, and the next operation
// with the same settings reuses it.
type Index struct {
	*index.DB
	settings string // all settings that it was opened with
	user     User   // the operation that uses it
	pool     *Pool
	contents *contents.Store // of the files of the work tree; nil: not kept
	folder   string          // of contents
}

// User receives the reports of an index while an operation uses it.
type User struct {
	Lacking  func(line string)
	Notice   func(what string)
	Progress func(index.Progress)
}

// New returns an index that is not open yet, with the names of files in a folder; empty: without them.
func (p *Pool) New(settings string, user User, folder string) *Index {
	o := &Index{settings: settings, user: user, pool: p, folder: folder}
	if folder != "" {
		o.contents = contents.OpenStore(folder)
	}
	return o
}

// Open opens the database, or one in memory if path is empty. From then on the index is in use.
func (o *Index) Open(ctx context.Context, path string, options index.Options) (err error) {
	options.Lacking = func(line string) { o.user.Lacking(line) }
	options.Notice = func(what string) { o.user.Notice(what) }
	options.Progress = func(p index.Progress) { o.user.Progress(p) }
	if o.contents != nil {
		options.Contents = o.findContents
	}
	if o.DB, err = index.Open(ctx, path, options); err == nil {
		o.pool.lent.Add(1)
	}
	return err
}

// Close ends the operation's use of the index.
func (o *Index) Close() error { return o.pool.put(o) }

// findContents looks up stems in the files of the work tree. It removes a damaged store, and the next update makes a
// new one.
func (o *Index) findContents(ctx context.Context, hashes []uint32) (contents.Found, error) {
	found, err := o.contents.Find(ctx, hashes)
	if contents.Damaged(err) {
		err = errors.Join(err, contents.Remove(ctx, o.folder))
	}
	return found, err
}

// answers reports whether the database of the index responds.
func (o *Index) answers(ctx context.Context) bool {
	return o.With(ctx, func(store.Handle) error { return nil }) == nil
}

// shut closes the database and the contents.
func (o *Index) shut() error {
	err := o.DB.Close()
	if o.contents != nil {
		err = errors.Join(err, o.contents.Close())
	}
	return err
}

// maxIdle limits the unused indexes that a Memory keeps open.
const maxIdle = 4

// Pool keeps indexes open between the operations of a Memory. It is safe for concurrent use.
type Pool struct {
	mu     sync.Mutex
	Idle   []*Index     // the last one is the most recently used
	lent   atomic.Int32 // number of indexes in use
	closed bool
	turns  chan struct{} // holds a token for each search in progress
}

// NewPool returns an empty pool of open indexes.
func NewPool() *Pool {
	return &Pool{turns: make(chan struct{}, min(max(2, runtime.GOMAXPROCS(0)), maxIdle))}
}

// Turn waits until a search may begin. More searches at once than processors would take as long, and each would read
// the index into separate memory. Turns are granted in the order of the calls.
func (p *Pool) Turn(ctx context.Context) (leave func(), err error) {
	select {
	case p.turns <- struct{}{}:
		return func() { <-p.turns }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Take returns an open index with these settings for a user, or nil if there is none. remote says that the database is
// on a server: if that does not respond, the index is closed, and opening it again reports why.
func (p *Pool) Take(ctx context.Context, settings string, user User, remote bool) *Index {
	o := p.take(settings)
	if o == nil {
		return nil
	}
	if remote && !o.answers(ctx) {
		_ = o.shut()
		return nil
	}
	o.user = user
	p.lent.Add(1)
	return o
}

// take removes and returns the most recently used idle index with these settings, as most of it is cached. It returns
// nil if there is none.
func (p *Pool) take(settings string) *Index {
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
func (p *Pool) put(o *Index) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	o.user = User{}
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

// Close closes all idle indexes, and makes put close the indexes that are still in use.
func (p *Pool) Close() (err error) {
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

// InUse counts the indexes that operations are using. It does not count idle ones that the pool keeps open.
func (p *Pool) InUse() int { return int(p.lent.Load()) }

package app

import (
	"cmp"
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"agentflow/gitwatch/hook"
	"agentflow/index"
	"agentflow/index/watch"
	"agentflow/internal/plural"
)

// updater brings the index up to date each time a watcher wakes it. It keeps
// the index open in between.
type updater struct {
	*openMemory
	lock      *watchLock
	end       context.CancelCauseFunc
	completer *completer

	mu       sync.Mutex // held by an update and by a notice: both send events and record
	db       *openIndex
	taken    int64 // bytes of Markdown since db was opened
	begun    bool
	vanished int      // entries that a notice named
	warned   []string // warnings of the last update
}

// update does the work of one wake. An error means that a later try may succeed.
func (u *updater) update(ctx context.Context) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if err := cmp.Or(u.lock.check(), offBy(u.openMemory.operation, u.Place, u.dirs)); err != nil {
		u.end(err)
		return nil
	}
	start := time.Now()
	lines, failed := u.settle(ctx)
	report, more, err := u.sync(ctx)
	u.tellOnce(append(lines, more...))
	if err = errors.Join(failed, err); err != nil {
		return err
	}
	if !u.begun {
		u.begun = true
		u.say("watching %s: %s indexed", u.Memory(), plural.Count(report.Files, "file"))
	} else if report.Changed+report.Removed > 0 {
		u.say("indexed %s, dropped %d, in %v", plural.Count(report.Changed, "changed file"), report.Removed, time.Since(start).Round(time.Millisecond))
	}
	if e, _ := embedderFor(u.openMemory); callsProvider(e) {
		u.completer.wake()
	}
	return u.shrink(report.Bytes)
}

// reopenAfter is how many bytes of Markdown an index takes in before it is
// closed, because SQLite keeps the memory of its cache until then.
const reopenAfter = 4 << 20

// shrink returns memory that an update needed to the system. The next
// update opens the index again, which costs a few milliseconds.
func (u *updater) shrink(read int64) (err error) {
	if u.taken += read; u.taken > reopenAfter {
		u.taken, err = 0, u.close()
	}
	debug.FreeOSMemory()
	return err
}

// notice reports a notice of package watch.
func (u *updater) notice(what string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if what == watch.Recovered {
		u.say("%s", what)
		return
	}
	u.degraded("watch", []string{what})
}

// settle finishes interrupted work in the log, and records the commits that
// hooks noted.
func (u *updater) settle(ctx context.Context) (lines []string, err error) {
	report, err := u.store.Settle(ctx)
	lines = append(lines, report.Degraded...)
	report.Degraded = nil
	if u.vanished == len(report.Vanished) {
		report.Vanished = nil // a notice named them before
	} else {
		u.vanished = len(report.Vanished)
	}
	tellReport(u.openMemory, report, nil)
	settleCommits(ctx, u.openMemory)
	return lines, err
}

// sync opens the index if needed, and syncs it. No other process can use an index in
// memory, so sync closes it and the next try is on disk.
func (u *updater) sync(ctx context.Context) (report index.SyncReport, lines []string, err error) {
	if u.db == nil {
		if u.db, lines, err = newOpenIndex(ctx, u.openMemory); err != nil {
			return report, lines, err
		}
	}
	report, err = u.db.SyncListed(ctx, index.List(ctx, u.sources(ctx)...))
	lines = append(lines, report.Skipped...)
	if report.Memory {
		err = errors.Join(err, errors.New("the index cannot be written: nothing is kept up to date"), u.close())
	}
	return report, lines, err
}

// tellOnce sends the warnings that the last update did not send.
func (u *updater) tellOnce(lines []string) {
	u.degraded("watch", slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return slices.Contains(u.warned, line) }))
	u.warned = lines
}

func (u *updater) close() error {
	if u.db == nil {
		return nil
	}
	db := u.db
	u.db = nil
	return db.Close()
}

// settleEvery is the interval at which a watcher checks for commits noted by hooks, with one
// stat.
const settleEvery = 2 * time.Second

// settleNoted records the commits that hooks note, until ctx ends. The files
// that it writes wake the watcher to index them. It ends the watcher when
// memory is switched off.
func (u *updater) settleNoted(ctx context.Context) {
	seen := settingsState(u.openMemory)
	for range ticks(ctx, settleEvery) {
		if now := settingsState(u.openMemory); now != seen {
			seen = now
			if err := offBy(u.openMemory.operation, u.Place, u.dirs); err != nil {
				u.end(err)
				return
			}
		}
		if hook.Pending(u.State()) && u.lock.check() == nil {
			u.mu.Lock()
			settleCommits(ctx, u.openMemory)
			u.mu.Unlock()
		}
	}
}

// complete computes all missing vectors. It opens the index itself, because the
// updater closes its index now and then.
func (u *updater) complete(ctx context.Context) error {
	if u.lock.check() != nil {
		return nil // the next update ends the watcher
	}
	_, err := u.withIndex(ctx, func(db *openIndex) error {
		_, err := db.EmbedPending(ctx, nil)
		return err
	})
	return err
}

// After a failure the next try comes after firstTry. The wait then doubles
// each time, up to lastTry.
const (
	firstTry = time.Second
	lastTry  = time.Minute
)

// completer computes the vectors of chunks concurrently with a watcher's updates, so that
// text is found at once, however slow an embedder is.
type completer struct {
	work   func(context.Context) error // completes all chunks that wait
	failed func(error)                 // called for the first of several failures
	worked func()                      // called when the failures are over
	wakes  chan struct{}
}

func newCompleter(work func(context.Context) error, failed func(error), worked func()) *completer {
	return &completer{work: work, failed: failed, worked: worked, wakes: make(chan struct{}, 1)}
}

// wake signals that chunks may wait for vectors.
func (c *completer) wake() {
	select {
	case c.wakes <- struct{}{}:
	default: // it is to look anyway
	}
}

// run works until ctx ends.
func (c *completer) run(ctx context.Context) {
	var pause time.Duration
	for c.next(ctx, pause) {
		err := c.work(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil && pause > 0:
			c.worked()
			pause = 0
		case err != nil && pause == 0:
			c.failed(err)
			pause = firstTry
		case err != nil:
			pause = min(2*pause, lastTry)
		}
	}
}

// next waits for a wake, or until pause is over. A failing embedder is thus
// not asked more often while files change fast. It returns false when ctx
// has ended.
func (c *completer) next(ctx context.Context, pause time.Duration) bool {
	wakes, over := c.wakes, (<-chan time.Time)(nil)
	if pause > 0 {
		wakes, over = nil, time.After(pause)
	}
	select {
	case <-ctx.Done():
		return false
	case <-wakes:
	case <-over:
	}
	return ctx.Err() == nil
}

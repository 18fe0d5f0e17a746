// Package upkeep keeps the index, and the names that the files of the work tree hold, in step with the files.
package upkeep

import (
	"cmp"
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"agentflow/app"
	"agentflow/app/embedding"
	"agentflow/app/indexes"
	"agentflow/app/settle"
	"agentflow/gitwatch/hook"
	"agentflow/index"
	"agentflow/index/watch"
	"agentflow/internal/embedder"
	"agentflow/internal/indexpool"
	"agentflow/internal/plural"
)

// Updater brings the index up to date each time a watcher wakes it. It keeps
// the index open in between.
type Updater struct {
	Repo      *app.Repo
	Lock      *WatchLock
	End       context.CancelCauseFunc
	Completer *completer

	Mu       sync.Mutex // held by an update and by a notice: both send events and record
	db       *indexpool.Index
	taken    int64 // bytes of Markdown since db was opened
	begun    bool
	vanished int      // entries that a notice named
	warned   []string // warnings of the last update
}

// Update does the work of one wake. An error means that a later try may succeed.
func (u *Updater) Update(ctx context.Context) error {
	u.Mu.Lock()
	defer u.Mu.Unlock()
	if err := cmp.Or(u.Lock.Check(), app.OffBy(u.Repo.Operation, u.Repo.Place, u.Repo.Dirs)); err != nil {
		u.End(err)
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
		u.Repo.Say("watching %s: %s indexed", u.Repo.Memory(), plural.Count(report.Files, "file"))
	} else if report.Changed+report.Removed > 0 {
		u.Repo.Say("indexed %s, dropped %d, in %v", plural.Count(report.Changed, "changed file"), report.Removed, time.Since(start).Round(time.Millisecond))
	}
	if e, _ := embedding.For(u.Repo); embedder.CallsProvider(e) {
		u.Completer.wake()
	}
	return u.shrink(report.Bytes)
}

// reopenAfter limits the Markdown bytes that an index takes in before it is
// closed, because SQLite keeps the memory of its cache until then.
const reopenAfter = 4 << 20

// shrink returns memory that an update needed to the system. The next
// update opens the index again, which costs a few milliseconds.
func (u *Updater) shrink(read int64) (err error) {
	if u.taken += read; u.taken > reopenAfter {
		u.taken, err = 0, u.Close()
	}
	debug.FreeOSMemory()
	return err
}

// Notice reports a notice of package watch.
func (u *Updater) Notice(what string) {
	u.Mu.Lock()
	defer u.Mu.Unlock()
	if what == watch.Recovered {
		u.Repo.Say("%s", what)
		return
	}
	u.Repo.Degraded("watch", []string{what})
}

// settle finishes interrupted work in the log, and records the commits that
// hooks noted.
func (u *Updater) settle(ctx context.Context) (lines []string, err error) {
	report, err := u.Repo.Store.Settle(ctx)
	lines = append(lines, report.Degraded...)
	report.Degraded = nil
	if u.vanished == len(report.Vanished) {
		report.Vanished = nil // a notice named them before
	} else {
		u.vanished = len(report.Vanished)
	}
	app.TellReport(u.Repo, report, nil)
	settle.SettleCommits(ctx, u.Repo)
	return lines, err
}

// sync opens the index if needed, and syncs it. No other process can use an index in
// memory, so sync closes it and the next try is on disk.
func (u *Updater) sync(ctx context.Context) (report index.SyncReport, lines []string, err error) {
	if u.db == nil {
		if u.db, lines, err = indexes.Open(ctx, u.Repo); err != nil {
			return report, lines, err
		}
	}
	report, err = u.db.SyncListed(ctx, index.List(ctx, indexes.Sources(ctx, u.Repo)...))
	lines = append(lines, report.Skipped...)
	if report.Memory {
		err = errors.Join(err, errors.New("the index cannot be written: nothing is kept up to date"), u.Close())
	}
	return report, lines, err
}

// tellOnce sends the warnings that the last update did not send.
func (u *Updater) tellOnce(lines []string) {
	u.Repo.Degraded("watch", slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return slices.Contains(u.warned, line) }))
	u.warned = lines
}

// Close ends the use of the index.
func (u *Updater) Close() error {
	if u.db == nil {
		return nil
	}
	db := u.db
	u.db = nil
	return db.Close()
}

// settleEvery spaces a watcher's checks for commits noted by hooks, with one
// stat.
const settleEvery = 2 * time.Second

// SettleNoted records the commits that hooks note, until ctx ends. The files
// that it writes wake the watcher to index them. It ends the watcher when
// memory is switched off.
func (u *Updater) SettleNoted(ctx context.Context) {
	seen := SettingsState(u.Repo)
	for range app.Ticks(ctx, settleEvery) {
		if now := SettingsState(u.Repo); now != seen {
			seen = now
			if err := app.OffBy(u.Repo.Operation, u.Repo.Place, u.Repo.Dirs); err != nil {
				u.End(err)
				return
			}
		}
		if hook.Pending(u.Repo.State()) && u.Lock.Check() == nil {
			u.Mu.Lock()
			settle.SettleCommits(ctx, u.Repo)
			u.Mu.Unlock()
		}
	}
}

// Complete computes all missing vectors. It opens the index itself, because the
// updater closes its index now and then.
func (u *Updater) Complete(ctx context.Context) error {
	if u.Lock.Check() != nil {
		return nil // the next update ends the watcher
	}
	_, err := indexes.With(ctx, u.Repo, func(db *indexpool.Index) error {
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

// NewCompleter returns a completer. Its fields describe the functions.
func NewCompleter(work func(context.Context) error, failed func(error), worked func()) *completer {
	return &completer{work: work, failed: failed, worked: worked, wakes: make(chan struct{}, 1)}
}

// wake signals that chunks may wait for vectors.
func (c *completer) wake() {
	select {
	case c.wakes <- struct{}{}:
	default: // it is to look anyway
	}
}

// Run works until ctx ends.
func (c *completer) Run(ctx context.Context) {
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

package index

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"time"

	"agentflow/index/sources"
	"agentflow/index/store"
)

// Listing lists the files of sources: see sources.List.
type Listing = sources.Listing

// List starts to list the files of sources. It needs no index, so the caller
// can open one at the same time.
func List(ctx context.Context, from ...Source) *Listing { return sources.List(ctx, time.Now(), from) }

// Ignored reports whether a path, or a folder above it, matches a pattern.
func Ignored(patterns []string, name string) bool { return sources.Ignored(patterns, name) }

// SyncReport is the result of a Sync.
type SyncReport struct {
	Files   int      // Markdown files in the sources
	Changed int      // files that are new or have other contents
	Removed int      // files that no longer exist
	Chunks  int      // new chunks written
	Bytes   int64    // of the files that were read
	Skipped []string // "path: reason", one for each; the index keeps what it has of them
	Left    int      // changed files that SyncSome left for the next Sync; the index has their old contents
	Memory  bool     // the index is in memory, so the next process builds it again
}

// Sync brings the index up to date with the sources, and replaces an index of
// another version. It compares files by listing first, then by contents. It
// commits batch by batch, so the next Sync continues an interrupted one.
// ErrBusy means that the write lock was not free in time.
func (d *DB) Sync(ctx context.Context, from ...Source) (SyncReport, error) {
	return d.sync(ctx, syncer{}, sources.List(ctx, d.now(), from))
}

// SyncListed is Sync with a listing that the caller started before opening the
// index.
func (d *DB) SyncListed(ctx context.Context, l *Listing) (SyncReport, error) {
	return d.sync(ctx, syncer{}, l)
}

// someTime limits the writing of SyncSome. Tests lower it.
var someTime = 400 * time.Millisecond

// SyncSome is SyncListed for a caller that waits for another result, such as a
// search: after 0.4 s of writing it leaves the rest for the next Sync. An index
// of another version is rebuilt completely.
func (d *DB) SyncSome(ctx context.Context, l *Listing) (SyncReport, error) {
	return d.sync(ctx, syncer{until: time.Now().Add(someTime)}, l)
}

// Rebuild builds the index again from the sources in one transaction. The old
// index stays in use until then, and remains if Rebuild is interrupted.
func (d *DB) Rebuild(ctx context.Context, from ...Source) (SyncReport, error) {
	return d.sync(ctx, syncer{anew: true}, sources.List(ctx, d.now(), from))
}

// readFrom records the sources that texts are read from and a damaged index is
// rebuilt from.
func (d *DB) readFrom(list []Source) {
	d.mu.Lock()
	d.sources = list
	d.mu.Unlock()
}

// sync completes a syncer with the fields that every sync needs, and runs it.
func (d *DB) sync(ctx context.Context, s syncer, listed *Listing) (SyncReport, error) {
	d.readFrom(listed.Sources())
	l, err := listed.Wait()
	if err != nil {
		return SyncReport{}, fmt.Errorf("listing memory: %w", err)
	}
	var report SyncReport
	err = d.With(ctx, func(h store.Handle) error {
		d.takeUp(h)
		report = SyncReport{Files: len(l.List), Memory: h.InMemory() && d.path != ""}
		s.h, s.o, s.l, s.now, s.report = h, d.o, l, d.now(), &report
		return s.run(ctx)
	})
	report.Skipped = append(report.Skipped, l.Skipped...)
	if err != nil {
		return report, fmt.Errorf("syncing the index: %w", err)
	}
	return report, nil
}

// syncer is the state of one Sync on one handle.
type syncer struct {
	h        store.Handle
	o        Options
	l        sources.Files
	now      time.Time // facts that expire before it are left out
	report   *SyncReport
	anew     bool        // replace the tables even if they are current
	until    time.Time   // when to leave the rest for the next Sync; zero means never
	writes   int64       // number of writes, as in store.Update, when files and index were compared
	file     *fileUpdate // the file that is being written
	progress Progress
}

func (s *syncer) run(ctx context.Context) error {
	if err := s.update(ctx); err != nil {
		return err
	}
	if err := s.catchUp(ctx); err != nil {
		return err
	}
	if s.report.Removed+s.report.Changed > 0 && s.until.IsZero() { // no caller waits for another result
		s.h.Tidy(ctx)
	}
	return nil
}

// update brings the text of the index up to date.
func (s *syncer) update(ctx context.Context) error {
	if s.anew || !isCurrent(s.h) {
		if done, err := s.runAnew(ctx); err != nil || done {
			return err
		}
	}
	var have map[string]store.Known
	var todo []sources.File
	var gone []string
	var was store.Listed
	same, foreign := false, false
	key := embedderKey(s.o)
	err := s.h.View(ctx, func(v store.View) error {
		was = v.Listed()
		s.writes = was.Writes
		first := store.Known{Expires: was.Expires} // represents the file with the fact that expires first
		same = len(was.Digest) > 0 && bytes.Equal(was.Digest, s.l.Digest) && !first.Expired(s.now)
		if foreign = key != "" && was.Embedder != key; foreign || same {
			same = same && !foreign
			return v.Err()
		}
		have = v.Files()
		todo, gone = s.difference(have)
		for _, f := range todo { // add the keys of the chunks of changed files
			if k, ok := have[f.Name]; ok {
				k.Keys = v.Keys(k.ID)
				have[f.Name] = k
			}
		}
		return v.Err()
	})
	if err != nil || same {
		return err
	}
	if foreign { // only the files have the texts that vectors are made from
		s.anew = true
		if _, err = s.runAnew(ctx); err == nil && was.Embedder != "" {
			s.o.Notice(fmt.Sprintf("the vectors are computed again: the embedder is %s now, and was %s", embedderName(key), embedderName(was.Embedder)))
		}
		return err
	}
	return s.apply(ctx, todo, gone, have)
}

// runAnew replaces the tables and fills them in one transaction: readers see
// the old index until the new one is complete. done is false if another process
// replaced them first.
func (s *syncer) runAnew(ctx context.Context) (done bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return s.h.Anew(ctx, s.anew, func(u store.Update) error {
		s.expect(s.l.List)
		s.drain(ctx, u, &batch{}, s.prepareAll(ctx, s.l.List, nil), math.MaxInt64)
		return u.Finish(store.Documents, s.l.Digest)
	})
}

// expect resets the progress of a Sync.
func (s *syncer) expect(todo []sources.File) {
	s.progress = Progress{AllFiles: len(todo)}
	for _, f := range todo {
		s.progress.AllBytes += f.Size
	}
}

// advance adds a finished piece to the progress and reports it.
func (s *syncer) advance(p piece, last bool) {
	s.report.Bytes += p.bytes
	s.progress.Bytes += p.bytes
	if last {
		s.progress.Files++
	}
	if s.o.Progress != nil {
		s.o.Progress(s.progress)
	}
}

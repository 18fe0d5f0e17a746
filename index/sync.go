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

// Source is a folder of Markdown files to index.
type Source = sources.Source

// Listing is what sources hold: see sources.List.
type Listing = sources.Listing

// List begins to look what sources hold: it needs no index, so opening one can
// go on beside it.
func List(ctx context.Context, from ...Source) *Listing { return sources.List(ctx, time.Now(), from) }

// Ignored says whether a path, or a folder it is in, matches a pattern.
func Ignored(patterns []string, name string) bool { return sources.Ignored(patterns, name) }

// SyncReport says what a Sync did.
type SyncReport struct {
	Files   int      // Markdown files the sources hold
	Changed int      // files added or whose contents changed
	Removed int      // files that are no longer there
	Chunks  int      // chunks written anew
	Bytes   int64    // of the files that were read
	Skipped []string // "path: reason", a line each; what the index holds of them stays
	Left    int      // files that SyncSome left for the next Sync: the index has them as they were
	Memory  bool     // the index is in memory: the next process builds it again
}

// Sync brings the index up to date with the sources, and replaces an index of
// another version. Files are compared by listing first, then by contents.
// Work is committed batch by batch, so a Sync that is cut short is continued
// by the next. ErrBusy means that the write lock was not free in time.
func (d *DB) Sync(ctx context.Context, from ...Source) (SyncReport, error) {
	return d.sync(ctx, syncer{}, sources.List(ctx, d.now(), from))
}

// SyncListed is Sync with a listing that was taken while the index was opened.
func (d *DB) SyncListed(ctx context.Context, l *Listing) (SyncReport, error) {
	return d.sync(ctx, syncer{}, l)
}

// someTime is how long SyncSome goes on writing. Tests lower it.
var someTime = 400 * time.Millisecond

// SyncSome is SyncListed for somebody who waits for something else: when more has changed than
// is written in half a second it leaves the rest. An index of another version is
// made anew whole.
func (d *DB) SyncSome(ctx context.Context, l *Listing) (SyncReport, error) {
	return d.sync(ctx, syncer{until: time.Now().Add(someTime)}, l)
}

// Rebuild makes the index anew from the sources, in one transaction: until it
// has ended, and when it is cut short, the old index stands.
func (d *DB) Rebuild(ctx context.Context, from ...Source) (SyncReport, error) {
	return d.sync(ctx, syncer{anew: true}, sources.List(ctx, d.now(), from))
}

// readFrom notes the sources, which texts are read from and a damaged index is made of.
func (d *DB) readFrom(list []Source) {
	d.mu.Lock()
	d.sources = list
	d.mu.Unlock()
}

// sync runs a syncer, of which it says what is the same for all.
func (d *DB) sync(ctx context.Context, s syncer, listed *Listing) (SyncReport, error) {
	d.readFrom(listed.Sources())
	l, err := listed.Wait()
	if err != nil {
		return SyncReport{}, fmt.Errorf("listing memory: %w", err)
	}
	var report SyncReport
	err = d.With(ctx, func(h store.Handle) error {
		d.takeUp(h)
		where, _ := h.Place(ctx)
		report = SyncReport{Files: len(l.List), Memory: where == "" && d.path != ""}
		s.h, s.o, s.l, s.now, s.report = h, d.o, l, d.now(), &report
		return s.run(ctx)
	})
	report.Skipped = append(report.Skipped, l.Skipped...)
	if err != nil {
		return report, fmt.Errorf("syncing the index: %w", err)
	}
	return report, nil
}

// syncer is one Sync on one handle.
type syncer struct {
	h        store.Handle
	o        Options
	l        sources.Files
	now      time.Time // by which facts expire
	report   *SyncReport
	anew     bool        // empty the tables first even if they are current
	until    time.Time   // when to leave the rest for the next Sync; zero: never
	writes   int64       // as in store.Update, when the index was compared
	file     *fileUpdate // whose next piece comes
	progress Progress
}

func (s *syncer) run(ctx context.Context) error {
	if err := s.update(ctx); err != nil {
		return err
	}
	if err := s.catchUp(ctx); err != nil {
		return err
	}
	if s.report.Removed+s.report.Changed > 0 && s.until.IsZero() { // nobody waits for it
		s.h.Tidy(ctx)
	}
	return nil
}

// update brings the text up to date.
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
		first := store.Known{Expires: was.Expires} // of whose facts one expires
		same = len(was.Digest) > 0 && bytes.Equal(was.Digest, s.l.Digest) && !first.Expired(s.now)
		if foreign = key != "" && was.Embedder != key; foreign || same {
			same = same && !foreign
			return v.Err()
		}
		have = v.Files()
		todo, gone = s.difference(have)
		for _, f := range todo { // complete what is known of the files that are looked at
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
	if foreign { // the texts that vectors are made of stand nowhere else than in the files
		s.anew = true
		if _, err = s.runAnew(ctx); err == nil && was.Embedder != "" {
			s.o.Notice(fmt.Sprintf("the vectors are made anew: the embedder is %s now, and was %s", embedderName(key), embedderName(was.Embedder)))
		}
		return err
	}
	return s.apply(ctx, todo, gone, have)
}

// runAnew replaces the tables and fills them in one transaction: readers see
// the old index until the new one is whole. It has not done so when another
// process was first.
func (s *syncer) runAnew(ctx context.Context) (done bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return s.h.Anew(ctx, s.anew, func(u store.Update) error {
		s.expect(s.l.List)
		s.drain(ctx, u, &batch{}, s.prepareAll(ctx, s.l.List, nil), math.MaxInt64)
		return u.Finish(store.Documents, s.l.Digest)
	})
}

// Progress is how far a Sync or Rebuild has come with the files it has to
// look at.
type Progress struct {
	Files, AllFiles int
	Bytes, AllBytes int64
}

// expect begins the progress of a Sync.
func (s *syncer) expect(todo []sources.File) {
	s.progress = Progress{AllFiles: len(todo)}
	for _, f := range todo {
		s.progress.AllBytes += f.Size
	}
}

// advance tells of a piece that was dealt with.
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

package index

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"agentflow/index/sources"
)

// batchBytes is how much text goes into one transaction: small enough that a
// sync cut short keeps most of its work, large enough to write fast. Tests
// lower it.
var batchBytes int64 = 8 << 20

// aheadBytes is how much is prepared before the write lock is taken: a small
// change holds it for its writing only.
const aheadBytes = 1 << 20

func (s *syncer) apply(ctx context.Context, todo []sources.File, gone []string, have map[string]known) error {
	s.expect(todo)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ready := s.prepareAll(ctx, todo, have)
	for {
		b := s.ahead(ready)
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(b.pieces) == 0 && len(gone) == 0 {
			return s.noteDigest(ctx, ready)
		}
		err := s.commit(ctx, b, gone, ready)
		if err != nil && isUnwritable(err) && len(gone) == 0 && b.listings {
			err = nil // what the index holds is up to date all the same
		}
		if err != nil || b.last {
			return err
		}
		if gone = nil; s.isOver() {
			s.report.Left = s.progress.AllFiles - s.progress.Files
			return nil
		}
	}
}

// isOver says whether the rest is left for the next Sync.
func (s *syncer) isOver() bool { return !s.until.IsZero() && time.Now().After(s.until) }

func (s *syncer) difference(have map[string]known) (todo []sources.File, gone []string) {
	present := make(map[string]bool, len(s.l.List))
	for _, f := range s.l.List {
		present[f.Name] = true
		if k, ok := have[f.Name]; !ok || len(k.sig) == 0 || !bytes.Equal(k.sig, f.Sig) || k.expired(s.now) {
			todo = append(todo, f)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(have)) {
		if !present[name] && s.l.Covers(name) {
			gone = append(gone, name)
		}
	}
	return todo, gone
}

// batch is what one transaction writes.
type batch struct {
	pieces   []piece // prepared before the lock was taken
	bytes    int64
	listings bool // no file of it has other contents
	last     bool // no more comes
}

// ahead takes the beginning of a batch.
func (s *syncer) ahead(ready <-chan piece) *batch {
	b := &batch{listings: true}
	for b.bytes < aheadBytes {
		p, ok := s.next(ready, b)
		if !ok {
			break
		}
		b.pieces = append(b.pieces, p)
	}
	return b
}

// next is the next piece of a batch; ok is false when no more comes.
func (s *syncer) next(ready <-chan piece, b *batch) (p piece, ok bool) {
	for p = range ready {
		if s.unwritten(p) {
			continue
		}
		b.bytes += p.bytes
		b.listings = b.listings && p.same
		return p, true
	}
	b.last = true
	return p, false
}

// unwritten takes note of what cannot or need not be written.
func (s *syncer) unwritten(p piece) bool {
	switch {
	case p.err != nil:
		s.l.Digest = nil
		if !errors.Is(p.err, fs.ErrNotExist) { // the next Sync drops it
			s.report.Skipped = append(s.report.Skipped, fmt.Sprintf("%s: %v", p.Name, p.err))
		}
	case p.same && len(p.Sig) == 0: // still too fresh to be known by its listing
	default:
		return false
	}
	s.advance(p, true)
	return true
}

// commit writes a batch: what was prepared ahead, and what comes while the
// lock is held.
func (s *syncer) commit(ctx context.Context, b *batch, gone []string, ready <-chan piece) error {
	return write(ctx, s.h.pool, func(c *sql.Conn) error {
		w := newWriter(ctx, c, s.o)
		defer w.close()
		if w.writes != s.writes {
			s.l.Digest = nil // somebody else wrote: what the index holds as a whole is not known
		}
		before := s.report.Changed + s.report.Removed
		for _, name := range gone {
			w.drop(name)
			s.report.Removed++
		}
		s.drain(w, b, ready, s.batch())
		digest := s.l.Digest
		if !b.last {
			digest = nil
		}
		if s.report.Changed+s.report.Removed == before {
			s.writes = w.writes
			return w.finishListings(digest)
		}
		s.writes = w.writes + 1
		return w.finish(digest)
	})
}

// batch is how much text goes into one transaction.
func (s *syncer) batch() int64 {
	if s.until.IsZero() {
		return batchBytes
	}
	return min(batchBytes, aheadBytes)
}

// drain writes a batch until it has grown to most bytes and its last file is
// whole.
func (s *syncer) drain(w *writer, b *batch, ready <-chan piece, most int64) {
	for _, p := range b.pieces {
		s.put(w, p)
	}
	for w.err == nil && (b.bytes < most || s.file != nil) {
		p, ok := s.next(ready, b)
		if !ok {
			break
		}
		s.put(w, p)
	}
	w.fail(w.ctx.Err()) // which also ends what comes
}

func (s *syncer) put(w *writer, p piece) {
	if p.first {
		s.begin(w, p)
	}
	s.advance(p, p.last)
	if s.file == nil {
		return
	}
	for i := range p.rows {
		if w.put(s.file, &p.rows[i]) {
			s.report.Chunks++
		}
	}
	if p.last {
		w.end(s.file, p)
		s.file = nil
	}
	if len(w.df) >= maxCounts {
		w.writeCounts()
	}
}

// begin takes up the file of a first piece, unless it is as the index has it.
func (s *syncer) begin(w *writer, p piece) {
	switch k, ok := w.file(p.Name); {
	case ok && bytes.Equal(k.hash, p.hash) && !k.expired(s.now):
		w.noteListing(k.id, p)
	case p.same: // another process changed the index since it was compared: the next Sync looks again
		s.l.Digest = nil
	default:
		s.report.Changed++
		if p.skipped != "" {
			s.report.Skipped = append(s.report.Skipped, fmt.Sprintf("%s: %s", p.Name, p.skipped))
		}
		s.file = w.begin(k.id, p)
	}
}

// noteDigest lets the next Sync see by one comparison that nothing changed.
// It is worth no waiting.
func (s *syncer) noteDigest(ctx context.Context, none <-chan piece) error {
	if s.l.Digest == nil {
		return nil
	}
	short, cancel := context.WithTimeout(ctx, 5*time.Millisecond)
	defer cancel()
	err := s.commit(short, &batch{}, nil, none)
	if err != nil && !errors.Is(err, ErrBusy) && !isUnwritable(err) && short.Err() == nil {
		return err
	}
	return ctx.Err()
}

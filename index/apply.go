package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"agentflow/index/sources"
	"agentflow/index/store"
)

// batchBytes is how much text goes into one transaction: small enough that a
// sync cut short keeps most of its work, large enough to write fast. Tests
// lower it.
var batchBytes int64 = 8 << 20

// aheadBytes is how much is prepared before the write lock is taken: a small
// change holds it for its writing only.
const aheadBytes = 1 << 20

func (s *syncer) apply(ctx context.Context, todo []sources.File, gone []string, have map[string]store.Known) error {
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
		if err != nil && errors.Is(err, store.ErrUnwritable) && len(gone) == 0 && b.listings {
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

func (s *syncer) difference(have map[string]store.Known) (todo []sources.File, gone []string) {
	present := make(map[string]bool, len(s.l.List))
	for _, f := range s.l.List {
		present[f.Name] = true
		if k, ok := have[f.Name]; !ok || len(k.Sig) == 0 || !bytes.Equal(k.Sig, f.Sig) || k.Expired(s.now) {
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
	return s.h.Update(ctx, func(u store.Update) error {
		writes := u.Writes()
		if writes != s.writes {
			s.l.Digest = nil // somebody else wrote: what the index holds as a whole is not known
		}
		before := s.report.Changed + s.report.Removed
		for _, name := range gone {
			drop(u, name)
			s.report.Removed++
		}
		s.drain(ctx, u, b, ready, s.batch())
		digest := s.l.Digest
		if !b.last {
			digest = nil
		}
		if s.report.Changed+s.report.Removed == before {
			s.writes = writes
			return u.Finish(store.Listings, digest)
		}
		s.writes = writes + 1
		return u.Finish(store.Documents, digest)
	})
}

// drop removes a file, and the judgements with the file that holds them.
func drop(u store.Update, name string) {
	u.Drop(name)
	if name == feedbackName {
		u.Judge(nil)
	}
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
func (s *syncer) drain(ctx context.Context, u store.Update, b *batch, ready <-chan piece, most int64) {
	for _, p := range b.pieces {
		s.put(u, p)
	}
	for u.Err() == nil && (b.bytes < most || s.file != nil) {
		p, ok := s.next(ready, b)
		if !ok {
			break
		}
		s.put(u, p)
	}
	u.Fail(ctx.Err()) // which also ends what comes
}

func (s *syncer) put(u store.Update, p piece) {
	if p.first {
		s.begin(u, p)
	}
	s.advance(p, p.last)
	if s.file == nil {
		return
	}
	for i := range p.rows {
		if s.file.put(&p.rows[i]) {
			s.report.Chunks++
		}
	}
	if p.last {
		s.file.end(p)
		s.file = nil
	}
}

// begin takes up the file of a first piece, unless it is as the index has it.
func (s *syncer) begin(u store.Update, p piece) {
	switch k, ok := u.File(p.Name); {
	case ok && bytes.Equal(k.Hash, p.hash) && !k.Expired(s.now):
		u.NoteListing(k.ID, p.Sig)
	case p.same: // another process changed the index since it was compared: the next Sync looks again
		s.l.Digest = nil
	default:
		s.report.Changed++
		if p.skipped != "" {
			s.report.Skipped = append(s.report.Skipped, fmt.Sprintf("%s: %s", p.Name, p.skipped))
		}
		s.file = begin(u, k.ID, p)
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
	if err != nil && !errors.Is(err, ErrBusy) && !errors.Is(err, store.ErrUnwritable) && short.Err() == nil {
		return err
	}
	return ctx.Err()
}

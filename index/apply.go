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
	"agentflow/memory"
)

// batchBytes limits the text of one transaction: small enough that an
// interrupted sync keeps most of its work, large enough to write fast. Tests
// lower it.
var batchBytes int64 = 8 << 20

// aheadBytes limits the text prepared before the write lock is taken, so
// that a small change holds the lock only while it is written.
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
			err = nil // what the index holds is up to date, only the listings are not recorded
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

// isOver reports whether the time is up, so that the rest is left for the next
// Sync.
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

// batch is the work of one transaction.
type batch struct {
	pieces   []piece // prepared before the lock was taken
	bytes    int64
	listings bool // every piece has the contents that the index has
	last     bool // the channel of pieces is exhausted
}

// ahead prepares the pieces of a batch that are written while the lock is not
// yet held.
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

// next returns the next piece of a batch; ok is false when there are no more.
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

// unwritten reports whether a piece cannot or need not be written, and notes
// the consequences in the report and the digest.
func (s *syncer) unwritten(p piece) bool {
	switch {
	case p.err != nil:
		s.l.Digest = nil
		if !errors.Is(p.err, fs.ErrNotExist) { // the next Sync drops it
			s.report.Skipped = append(s.report.Skipped, fmt.Sprintf("%s: %v", p.Name, p.err))
		}
	case p.same && len(p.Sig) == 0: // changed too recently to be recognized by its listing
	default:
		return false
	}
	s.advance(p, true)
	return true
}

// commit writes a batch: the pieces that were prepared ahead, then those that
// arrive while the lock is held.
func (s *syncer) commit(ctx context.Context, b *batch, gone []string, ready <-chan piece) error {
	return s.h.Update(ctx, func(u store.Update) error {
		writes := u.Writes()
		if writes != s.writes {
			s.l.Digest = nil // another process wrote, so the state of the whole index is unknown
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

// drop removes a file from the index, and its judgements if it is the feedback
// file.
func drop(u store.Update, name string) {
	u.Drop(name)
	if name == feedbackName {
		u.Judge(nil)
	}
}

// batch returns how much text one transaction writes.
func (s *syncer) batch() int64 {
	if s.until.IsZero() {
		return batchBytes
	}
	return min(batchBytes, aheadBytes)
}

// drain writes the pieces of a batch until it has grown to most bytes and its
// last file is complete.
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
	u.Fail(ctx.Err()) // a cancelled context also ends the channel
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

// begin starts to replace the file of a first piece, unless the index has the
// same contents.
func (s *syncer) begin(u store.Update, p piece) {
	switch k, ok := u.File(p.Name); {
	case ok && bytes.Equal(k.Hash, p.hash) && !k.Expired(s.now):
		u.NoteListing(k.ID, p.Sig)
	case p.same: // another process changed the index since the comparison, so the next Sync compares again
		s.l.Digest = nil
	default:
		s.report.Changed++
		if p.skipped != "" {
			s.report.Skipped = append(s.report.Skipped, fmt.Sprintf("%s: %s", p.Name, p.skipped))
		}
		s.file = begin(u, k.ID, p)
	}
}

// noteDigest stores the digest of the listing, by which the next Sync sees in
// one comparison that nothing changed. It gives up after 5 ms, because the
// digest only saves time.
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

// feedbackName names the file of judgements, which is not indexed.
const feedbackName = "memory/" + memory.FeedbackFile

const memoryPrefix = "memory/"

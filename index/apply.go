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
)

// batchBytes is how much text goes into one transaction: small enough that a
// sync cut short keeps most of its work, large enough to write fast.
const batchBytes = 8 << 20

// apply writes the difference between listing and index.
func (s *syncer) apply(ctx context.Context, have map[string]known) error {
	todo, gone := s.difference(have)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ready := s.prepareAll(ctx, todo, have)
	for {
		batch, last := s.collect(ready)
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(batch) == 0 && len(gone) == 0 {
			return s.noteDigest(ctx)
		}
		err := s.commit(ctx, batch, gone, last)
		if err != nil && isUnwritable(err) && len(gone) == 0 && onlyListings(batch) {
			err = nil // what the index holds is up to date all the same
		}
		if err != nil || last {
			return err
		}
		gone = nil
	}
}

// onlyListings says that no file of the batch has other contents.
func onlyListings(batch []prepared) bool {
	return !slices.ContainsFunc(batch, func(p prepared) bool { return !p.same })
}

// difference returns the files to look at and those to drop.
func (s *syncer) difference(have map[string]known) (todo []found, gone []string) {
	present := make(map[string]bool, len(s.l.files))
	for _, f := range s.l.files {
		present[f.name] = true
		if k, ok := have[f.name]; !ok || len(k.sig) == 0 || !bytes.Equal(k.sig, f.sig) {
			todo = append(todo, f)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(have)) {
		if !present[name] && s.l.covers(name, s.sources) {
			gone = append(gone, name)
		}
	}
	return todo, gone
}

// prepareAll reads and cuts files while earlier ones are being written. The
// channel closes at the end of todo or of ctx.
func (s *syncer) prepareAll(ctx context.Context, todo []found, have map[string]known) <-chan prepared {
	ready := make(chan prepared, 4)
	go func() {
		defer close(ready)
		words := stems{}
		for _, f := range todo {
			select {
			case ready <- s.prepare(f, have[f.name], words):
			case <-ctx.Done():
				return
			}
		}
	}()
	return ready
}

// collect takes one batch of what has to be written; last says that no more
// comes.
func (s *syncer) collect(ready <-chan prepared) (batch []prepared, last bool) {
	for size := int64(0); size < batchBytes; {
		p, ok := <-ready
		switch {
		case !ok:
			return batch, true
		case errors.Is(p.err, fs.ErrNotExist): // the next Sync drops it
			s.l.digest = nil
		case p.err != nil:
			s.l.digest = nil
			s.report.Skipped = append(s.report.Skipped, fmt.Sprintf("%s: %v", p.name, p.err))
		case p.same && len(p.sig) == 0: // still too fresh to be known by its listing
		default:
			batch = append(batch, p)
			size += p.size
		}
	}
	return batch, false
}

func (s *syncer) commit(ctx context.Context, batch []prepared, gone []string, last bool) error {
	return write(ctx, s.h.pool, func(c *sql.Conn) error {
		w, err := newWriter(ctx, c)
		if err != nil {
			return err
		}
		defer w.close()
		if w.writes != s.writes {
			s.l.digest = nil // somebody else wrote: what the index holds as a whole is not known
		}
		s.writes = w.writes + 1
		for _, name := range gone {
			if err := w.drop(ctx, name); err != nil {
				return err
			}
			s.report.Removed++
		}
		for _, p := range batch {
			if err := s.put(ctx, w, p); err != nil {
				return err
			}
		}
		if !last {
			return w.finish(ctx, nil)
		}
		return w.finish(ctx, s.l.digest)
	})
}

func (s *syncer) put(ctx context.Context, w *writer, p prepared) error {
	if p.err != nil {
		s.l.digest = nil
		s.report.Skipped = append(s.report.Skipped, fmt.Sprintf("%s: %v", p.name, p.err))
		return nil
	}
	k, ok, err := w.file(ctx, p.name)
	if err != nil {
		return err
	}
	if ok && bytes.Equal(k.hash, p.hash) {
		return w.resign(ctx, k.id, p)
	}
	if p.same { // the index changed since it was compared
		return s.put(ctx, w, s.prepare(p.found, known{}, stems{}))
	}
	s.report.Changed++
	return w.put(ctx, k.id, p)
}

// noteDigest lets the next Sync see by one comparison that nothing changed.
// It is worth no waiting.
func (s *syncer) noteDigest(ctx context.Context) error {
	if s.l.digest == nil {
		return nil
	}
	short, cancel := context.WithTimeout(ctx, 5*time.Millisecond)
	defer cancel()
	err := s.commit(short, nil, nil, true)
	if err != nil && !errors.Is(err, ErrBusy) && !isUnwritable(err) && short.Err() == nil {
		return err
	}
	return ctx.Err()
}

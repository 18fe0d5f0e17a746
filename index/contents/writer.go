package contents

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"agentflow/internal/safefile"
)

// writer writes the file, as the only process that does. Its memory has the
// state of the last transaction. After an error it must not be used.
type writer struct {
	pool   *sql.DB
	c      *sql.Conn
	pieces map[int64]*stored
	last   int64 // the largest id of any piece
}

// stored is a piece in the file, without its marks.
type stored struct {
	pieceRow
	names []known
}

// openWriter opens the file at path, or creates it. The caller holds its lock.
func openWriter(ctx context.Context, path string) (*writer, error) {
	fresh, err := makeFile(path)
	if err != nil {
		return nil, err
	}
	pool, err := connect(path, mayWrite)
	if err != nil {
		return nil, err
	}
	w := &writer{pool: pool, pieces: map[int64]*stored{}}
	if err := w.begin(ctx, fresh); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

func (w *writer) begin(ctx context.Context, fresh bool) (err error) {
	if w.c, err = w.pool.Conn(ctx); err != nil {
		return err
	}
	if fresh {
		if _, err := w.c.ExecContext(ctx, "PRAGMA journal_mode=wal"); err != nil {
			return err
		}
		return w.transaction(ctx, func() error { // with the catalog, without which the tables are damaged
			_, err := w.c.ExecContext(ctx, schema)
			return err
		})
	}
	if err := checkVersion(ctx, w.c); err != nil {
		return err
	}
	return w.load(ctx)
}

// makeFile creates the file with mode 0600. fresh is true if the file is new or
// empty.
func makeFile(path string) (fresh bool, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		info, err := os.Lstat(path)
		if err == nil && !info.Mode().IsRegular() {
			err = fmt.Errorf("opening %s: %w", path, safefile.ErrNotRegular)
		}
		return err == nil && info.Size() == 0, err // an empty file: its creator was killed
	}
	if err != nil {
		return false, err
	}
	return true, f.Close()
}

func (w *writer) close() (err error) {
	if w.c != nil {
		err = w.c.Close()
	}
	return errors.Join(err, w.pool.Close())
}

// load reads the files in the index, and the data by which a change is seen.
func (w *writer) load(ctx context.Context) error {
	rows, err := catalog(ctx, w.c)
	if err != nil {
		return err
	}
	for _, row := range rows {
		w.pieces[row.id], w.last = &stored{pieceRow: row}, max(w.last, row.id)
	}
	ids := slices.Collect(maps.Keys(w.pieces))
	err = blobs(ctx, w.c, "names", ids, func(id int64, data []byte) (err error) {
		w.pieces[id].names, err = namesOf(data)
		return err
	})
	if err != nil {
		return err
	}
	return blobs(ctx, w.c, "stats", ids, func(id int64, data []byte) error { return readStats(data, w.pieces[id].names) })
}

// place identifies a file in a piece.
type place struct {
	piece *stored
	file  int
}

func (at place) known() *known { return &at.piece.names[at.file] }

// living returns the places of all living files by path.
func (w *writer) living() map[string]place {
	all := map[string]place{}
	for _, p := range w.pieces {
		for i := range p.names {
			if !p.dead.has(i) {
				all[p.names[i].path] = place{p, i}
			}
		}
	}
	return all
}

// change is the content of one transaction.
type change struct {
	fresh *piece  // files that were read
	gone  []place // files that were deleted, or are replaced by fresh ones
	seen  map[place]seen
}

// commit stores a change.
func (w *writer) commit(ctx context.Context, ch change) error {
	return w.transaction(ctx, func() error {
		restated := map[*stored]bool{}
		for at, s := range ch.seen {
			at.known().seen = s
			restated[at.piece] = true
		}
		for p := range restated {
			if err := w.put(ctx, "stats", p.id, stats(p.names)); err != nil {
				return err
			}
		}
		for _, at := range ch.gone {
			at.piece.kill(at.file)
		}
		return w.insert(ctx, ch.fresh)
	})
}

// transaction runs f in a transaction and then stores the catalog in it.
func (w *writer) transaction(ctx context.Context, f func() error) error {
	return inTransaction(ctx, w.c, "IMMEDIATE", func() error {
		if err := f(); err != nil {
			return err
		}
		rows := make([]pieceRow, 0, len(w.pieces))
		for _, id := range slices.Sorted(maps.Keys(w.pieces)) {
			rows = append(rows, w.pieces[id].pieceRow)
		}
		return w.put(ctx, "catalog", catalogRow, catalogBytes(rows))
	})
}

// put stores a row.
func (w *writer) put(ctx context.Context, table string, id int64, data []byte) error {
	_, err := w.c.ExecContext(ctx, "INSERT OR REPLACE INTO "+table+" VALUES(?,?)", id, seal(id, data))
	return err
}

// kill marks a file as dead and subtracts it from the counts.
func (p *stored) kill(file int) {
	p.dead = p.dead.with(file)
	p.files--
	p.held, p.defined = p.held-p.names[file].held, p.defined-p.names[file].defined
}

// remove removes a piece.
func (w *writer) remove(ctx context.Context, p *stored) error {
	delete(w.pieces, p.id)
	for _, query := range []string{"DELETE FROM names WHERE id=?1", "DELETE FROM stats WHERE id=?1",
		fmt.Sprintf("DELETE FROM buckets WHERE id>=?1<<%d AND id<(?1+1)<<%d", maxBits, maxBits)} {
		if _, err := w.c.ExecContext(ctx, query, p.id); err != nil {
			return err
		}
	}
	return nil
}

// insert stores a piece with sorted marks.
func (w *writer) insert(ctx context.Context, p *piece) error {
	if len(p.files) == 0 {
		return nil
	}
	w.last++
	s := &stored{pieceRow{id: w.last, bits: p.bits(), files: len(p.files)}, p.files}
	for _, f := range p.files {
		s.held, s.defined = s.held+f.held, s.defined+f.defined
	}
	if err := w.put(ctx, "names", s.id, p.nameBytes()); err != nil {
		return err
	}
	if err := w.put(ctx, "stats", s.id, stats(p.files)); err != nil {
		return err
	}
	insert, err := w.c.PrepareContext(ctx, "INSERT INTO buckets VALUES(?,?)")
	if err != nil {
		return err
	}
	defer insert.Close()
	for bucket, data := range p.buckets(s.bits) {
		id := s.bucketID(bucket)
		s.pieceRow.buckets = s.pieceRow.buckets.with(int(bucket))
		if _, err := insert.ExecContext(ctx, id, seal(id, data)); err != nil {
			return err
		}
	}
	w.pieces[s.id] = s
	return nil
}

package index

import (
	"context"
)

// fileUpdate is a file whose chunks are being replaced, piece by piece, in one
// transaction.
type fileUpdate struct {
	id  int64
	old map[int64][]place // by key: what the file held and was not found in it yet
}

type place struct {
	id                   int64
	ordinal, start, stop int
}

// begin takes up a file; id is 0 for a new one.
func (w *writer) begin(ctx context.Context, id int64, p piece) (f *fileUpdate, err error) {
	f = &fileUpdate{id: id}
	if id == 0 {
		res, err := w.exec(ctx, `INSERT INTO files(sig, hash, size, included, path) VALUES(?,?,?,?,?)`, blob(p.Sig), p.hash, p.Size, p.Included, p.Name)
		if err == nil {
			f.id, err = res.LastInsertId()
		}
		return f, err
	}
	if f.old, err = w.places(ctx, id); err == nil {
		_, err = w.exec(ctx, `UPDATE files SET sig=?, hash=?, size=?, expires=NULL WHERE id=?`, blob(p.Sig), p.hash, p.Size, id)
	}
	return f, err
}

func (w *writer) places(ctx context.Context, file int64) (map[int64][]place, error) {
	old := map[int64][]place{}
	err := each(ctx, w.c, func(scan scan) error {
		var p place
		var key int64
		err := scan(&p.id, &key, &p.ordinal, &p.start, &p.stop)
		old[key] = append(old[key], p)
		return err
	}, `SELECT id, key, ordinal, start, stop FROM chunks WHERE file=? ORDER BY id`, file)
	return old, err
}

// put writes one chunk of the file. One that only moved keeps its row: an
// appended entry costs one chunk, not the day's. It says whether it is new.
func (w *writer) put(ctx context.Context, f *fileUpdate, r *row) (added bool, err error) {
	same := f.old[r.key]
	if len(same) == 0 {
		r.project()
		return true, w.add(ctx, f.id, r)
	}
	f.old[r.key] = same[1:]
	if now := (place{same[0].id, r.ordinal, r.start, r.stop}); now != same[0] {
		_, err = w.exec(ctx, `UPDATE chunks SET ordinal=?, start=?, stop=? WHERE id=?`, now.ordinal, now.start, now.stop, now.id)
	}
	return false, err
}

// end removes the chunks that the file no longer holds.
func (w *writer) end(ctx context.Context, f *fileUpdate, p piece) error {
	for _, list := range f.old {
		for _, o := range list {
			if err := w.remove(ctx, o.id); err != nil {
				return err
			}
		}
	}
	if p.Name == feedbackName && !p.Included {
		if err := w.replaceJudgements(ctx, p.judged); err != nil {
			return err
		}
	}
	if p.expires == nil {
		return nil
	}
	_, err := w.exec(ctx, `UPDATE files SET expires=? WHERE id=?`, p.expires, f.id)
	return err
}

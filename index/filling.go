package index

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"slices"
	"sort"
)

// filling is a file that is being written, piece by piece. Between two
// transactions its hash is a mark instead: a process that ends there leaves a
// file that the next Sync goes on with, and one that finds another mark leaves
// the file to whoever set it.
type filling struct {
	id   int64
	name string
	mark []byte
	old  []place // by key
}

// place is a stored chunk without its contents.
type place struct {
	key, id              int64
	ordinal, start, stop int32
	present              bool // the file still holds it
}

// begin takes up a file; id is 0 for a new one.
func (w *writer) begin(ctx context.Context, id int64, p piece) (*filling, error) {
	f := &filling{id: id, name: p.Name}
	sig, hash := p.Sig, p.hash
	if !p.last {
		f.mark = []byte(rand.Text())
		sig, hash = nil, f.mark
	}
	var err error
	if id != 0 {
		if f.old, err = w.places(ctx, id); err != nil {
			return nil, err
		}
	}
	f.id, err = w.storeFile(ctx, id, p, sig, hash)
	return f, err
}

// storeFile writes what a file is.
func (w *writer) storeFile(ctx context.Context, id int64, p piece, sig, hash []byte) (int64, error) {
	if id != 0 {
		_, err := w.exec(ctx, `UPDATE files SET sig=?, hash=?, size=?, expires=? WHERE id=?`, blob(sig), hash, p.Size, p.expires, id)
		return id, err
	}
	res, err := w.exec(ctx, `INSERT INTO files(sig, hash, size, expires, included, path) VALUES(?,?,?,?,?,?)`, blob(sig), hash, p.Size, p.expires, p.Included, p.Name)
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

// places lists the stored chunks of a file.
func (w *writer) places(ctx context.Context, file int64) ([]place, error) {
	var old []place
	err := each(ctx, w.c, func(scan scan) error {
		var p place
		err := scan(&p.id, &p.key, &p.ordinal, &p.start, &p.stop)
		old = append(old, p)
		return err
	}, `SELECT id, key, ordinal, start, stop FROM chunks WHERE file=?`, file)
	slices.SortFunc(old, func(a, b place) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.id, b.id)) })
	return old, err
}

// take finds a stored chunk with this key that was not taken yet.
func (f *filling) take(key int64) *place {
	i := sort.Search(len(f.old), func(i int) bool { return f.old[i].key >= key })
	for ; i < len(f.old) && f.old[i].key == key; i++ {
		if p := &f.old[i]; !p.present {
			p.present = true
			return p
		}
	}
	return nil
}

// put writes one chunk of the file. One that only moved keeps its row: an
// appended entry costs one chunk, not the day's. It says whether it is new.
func (w *writer) put(ctx context.Context, f *filling, r *row) (added bool, err error) {
	o := f.take(r.key)
	if o == nil {
		r.project()
		return true, w.add(ctx, f.id, r)
	}
	if ctx, err = uninterrupted(ctx); err != nil {
		return false, err
	}
	if err := w.vectors.restore(ctx, o.id, r, w.key); err != nil {
		return false, err
	}
	if int(o.ordinal) == r.ordinal && int(o.start) == r.start && int(o.stop) == r.stop {
		return false, nil
	}
	_, err = w.exec(ctx, `UPDATE chunks SET ordinal=?, start=?, stop=? WHERE id=?`, r.ordinal, r.start, r.stop, o.id)
	return false, err
}

// end removes the chunks that the file no longer holds.
func (w *writer) end(ctx context.Context, f *filling, p piece) error {
	for _, o := range f.old {
		if o.present {
			continue
		}
		if err := w.remove(ctx, o.id); err != nil {
			return err
		}
	}
	if p.Name == feedbackName && !p.Included {
		if err := w.replaceJudgements(ctx, p.judged); err != nil {
			return err
		}
	}
	if p.first { // begin has written it
		return nil
	}
	_, err := w.storeFile(ctx, f.id, p, p.Sig, p.hash)
	return err
}

// has says whether f is still the one that fills its file.
func (w *writer) has(ctx context.Context, f *filling) (bool, error) {
	k, ok, err := w.file(ctx, f.name)
	return ok && bytes.Equal(k.hash, f.mark), err
}

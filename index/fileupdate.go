package index

// fileUpdate is a file whose chunks are being replaced, piece by piece, in one
// transaction.
type fileUpdate struct {
	id  int64
	old map[int64][]place // by key: what the file held and was not found in it yet
}

type place struct {
	id                       int64
	ordinal, start, stop, at int
}

// begin takes up a file; id is 0 for a new one.
func (w *writer) begin(id int64, p piece) *fileUpdate {
	f := &fileUpdate{id, map[int64][]place{}}
	if id == 0 {
		f.id, _ = w.exec(`INSERT INTO files(sig, hash, size, included, path) VALUES(?,?,?,?,?)`, blob(p.Sig), p.hash, p.Size, p.Included, p.Name)
		return f
	}
	w.fail(each(w.ctx, w.c, func(scan scan) error {
		var k place
		var key int64
		err := scan(&k.id, &key, &k.ordinal, &k.start, &k.stop, &k.at)
		f.old[key] = append(f.old[key], k)
		return err
	}, `SELECT id, key, ordinal, start, stop, at FROM chunks WHERE file=? ORDER BY id`, id))
	w.exec(`UPDATE files SET sig=?, hash=?, size=?, expires=NULL, entries=0, digest=NULL WHERE id=?`, blob(p.Sig), p.hash, p.Size, id)
	return f
}

// put writes one chunk of the file. One that only moved keeps its row: an
// appended entry costs one chunk, not the day's. It says whether it is new.
func (w *writer) put(f *fileUpdate, r *row) (added bool) {
	same := f.old[r.key]
	if len(same) == 0 {
		r.project()
		w.add(f.id, r)
		return true
	}
	f.old[r.key] = same[1:]
	if now := (place{same[0].id, r.Ordinal, r.StartLine, r.EndLine, r.at}); now != same[0] {
		w.exec(`UPDATE chunks SET ordinal=?, start=?, stop=?, at=?, text=? WHERE id=?`, now.ordinal, now.start, now.stop, now.at, r.apart(), now.id)
	}
	return false
}

// end removes the chunks that the file no longer holds.
func (w *writer) end(f *fileUpdate, p piece) {
	for _, list := range f.old {
		for _, o := range list {
			w.remove(o.id)
		}
	}
	if p.Name == feedbackName && !p.Included {
		w.replaceJudgements(p.judged)
	}
	w.writeBrief(f.id, p.brief)
	if p.expires != nil {
		w.exec(`UPDATE files SET expires=? WHERE id=?`, p.expires, f.id)
	}
}

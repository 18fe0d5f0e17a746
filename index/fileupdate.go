package index

import "agentflow/index/store"

// fileUpdate replaces the chunks of a file, piece by piece, in one transaction.
type fileUpdate struct {
	store.Update
	id  int64
	old map[int64][]store.Place // chunks of the old contents not yet found in the new contents, by key
}

// begin starts the update of a file; id is 0 for a new file.
func begin(u store.Update, id int64, p piece) *fileUpdate {
	f := &fileUpdate{Update: u}
	f.id, f.old = u.Begin(id, store.File{Name: p.Name, Sig: p.Sig, Hash: p.hash, Size: p.Size, Included: p.Included, Author: p.Author})
	return f
}

// put writes one chunk of the file and reports whether it is new. A chunk that
// only moved keeps its row, so an appended entry costs one chunk and not the
// chunks of the whole day.
func (f *fileUpdate) put(r *store.Row) (added bool) {
	same := f.old[r.Key]
	if len(same) == 0 {
		project(r)
		f.Add(f.id, r)
		return true
	}
	f.old[r.Key] = same[1:]
	if now := (store.Place{ID: same[0].ID, Ordinal: r.Ordinal, Start: r.StartLine, Stop: r.EndLine, At: r.At}); now != same[0] {
		f.Move(now, r)
	}
	return false
}

// end removes the chunks that the file no longer holds and finishes the file.
func (f *fileUpdate) end(p piece) {
	var gone []int64
	for _, list := range f.old {
		for _, o := range list {
			gone = append(gone, o.ID)
		}
	}
	f.Remove(gone)
	if p.Name == feedbackName && !p.Included {
		f.Judge(p.judged)
	}
	f.End(f.id, p.end)
}

package postgres

import (
	"fmt"

	"agentflow/index/files"
	"agentflow/index/store"
)

// historyBlocks collects changes of the blocks of entries that the file model
// reads.
type historyBlocks struct {
	u       *update
	added   map[int64][]files.Entry // by block
	removed map[int64][]int64       // by block
}

func newHistoryBlocks(u *update) *historyBlocks {
	return &historyBlocks{u, map[int64][]files.Entry{}, map[int64][]int64{}}
}

// add records a new row, unless it names no files.
func (w *historyBlocks) add(id int64, r *store.Row) {
	if r.Touches() {
		at := id / files.BlockSize
		w.added[at] = append(w.added[at], files.Entry{ID: id, Date: r.Date.Unix(), Title: r.Subject, Paths: r.Paths})
	}
}

func (w *historyBlocks) remove(id int64) {
	at := id / files.BlockSize
	w.removed[at] = append(w.removed[at], id)
}

// write writes the changed blocks; while fresh tables are filled and all is
// false, only the full ones.
func (w *historyBlocks) write(all bool) {
	changed := changedBlocks(w.added, w.removed, w.u.until(files.BlockSize, all))
	old := map[int64][]byte{}
	if !w.u.fresh && len(changed) > 0 {
		w.u.eachBlock(old, `SELECT block, data FROM `+w.u.table("history")+` WHERE block=ANY($1)`, changed)
	}
	for _, at := range changed {
		b := files.NewBlock()
		if data := old[at]; data != nil {
			var err error
			if b, err = files.ReadBlock(data); err != nil {
				w.u.Fail(fmt.Errorf("%w: %w", store.ErrDamaged, err))
				return
			}
		}
		for _, id := range w.removed[at] {
			b.Remove(id)
		}
		for _, e := range w.added[at] {
			b.Add(e)
		}
		delete(w.removed, at)
		delete(w.added, at)
		w.put(at, b)
	}
}

func (w *historyBlocks) put(at int64, b *files.Block) {
	if b.Len() == 0 {
		w.u.exec(`DELETE FROM `+w.u.table("history")+` WHERE block=$1`, at)
		return
	}
	w.u.exec(`INSERT INTO `+w.u.table("history")+`(index, block, newest, entries, data) VALUES($1,$2,$3,$4,$5)
		ON CONFLICT(index, block) DO UPDATE SET newest=excluded.newest, entries=excluded.entries, data=excluded.data`,
		w.u.m.id, at, b.Newest(), b.Len(), b.Encode())
}

package sqlite

import (
	"errors"
	"maps"
	"slices"

	"agentflow/index/files"
	"agentflow/index/store"
)

// historyWriter keeps the blocks of entries that the file model reads
// consistent with the chunks, within one write transaction.
type historyWriter struct {
	*statements
	blocks map[int64]*historyBlock // the blocks used so far, by id
}

type historyBlock struct {
	*files.Block
	stored, changed bool
}

// openBlocks limits the blocks kept before all are written.
const openBlocks = 64

func newHistoryWriter(s *statements) *historyWriter {
	return &historyWriter{s, map[int64]*historyBlock{}}
}

// add records a new row, unless it names no files.
func (w *historyWriter) add(id int64, r *store.Row) {
	if r.Touches() {
		b := w.block(id)
		b.Add(files.Entry{ID: id, Date: r.Date.Unix(), Title: r.Subject, Paths: r.Paths})
		b.changed = true
	}
}

func (w *historyWriter) remove(id int64) {
	b := w.block(id)
	b.changed = b.Remove(id) || b.changed
}

func (w *historyWriter) block(chunk int64) *historyBlock {
	id := chunk / files.BlockSize
	if b := w.blocks[id]; b != nil {
		return b
	}
	if len(w.blocks) == openBlocks {
		w.finish()
	}
	var data []byte
	b := &historyBlock{Block: files.NewBlock()}
	if b.stored = w.row([]any{&data}, `SELECT data FROM history WHERE id=?`, id); b.stored {
		read, err := files.ReadBlock(data)
		if err != nil {
			w.Fail(damaged(err))
		} else {
			b.Block = read
		}
	}
	w.blocks[id] = b
	return b
}

// finish writes the blocks.
func (w *historyWriter) finish() {
	for _, id := range slices.Sorted(maps.Keys(w.blocks)) {
		switch b := w.blocks[id]; {
		case !b.changed:
		case b.Len() == 0:
			w.exec(`DELETE FROM history WHERE id=?`, id)
		case b.stored:
			w.exec(`UPDATE history SET newest=?, entries=?, data=? WHERE id=?`, b.Newest(), b.Len(), b.Encode(), id)
		default:
			w.exec(`INSERT INTO history(id, newest, entries, data) VALUES(?,?,?,?)`, id, b.Newest(), b.Len(), b.Encode())
		}
	}
	clear(w.blocks)
}

// errEnough stops the reading of blocks.
var errEnough = errors.New("enough blocks were read")

// History reads the blocks with the newest entries. It reads a few more than
// needed, because a block may also hold older entries.
func (v *view) History(entries int) (blocks [][]byte) {
	left := entries + files.BlockSize
	v.each(func(scan scan) error {
		if left <= 0 {
			return errEnough
		}
		var entries int
		var data []byte
		err := scan(&entries, &data)
		left -= entries
		blocks = append(blocks, data)
		return err
	}, `SELECT entries, data FROM history ORDER BY newest DESC, id DESC`)
	if errors.Is(v.err, errEnough) {
		v.err = nil
	}
	return blocks
}

package files

import (
	"encoding/binary"
	"errors"
	"slices"

	"agentflow/index/stems"
)

// BlockSize counts the chunks of a Block: those with the ids n·BlockSize to
// n·BlockSize+BlockSize-1.
const BlockSize = 256

// Block stores the data of some chunks' entries that the model needs.
type Block struct {
	records []record // by id
	paths   []pathRecord
	at      map[string]uint32 // places in paths
}

// ErrBlock means that bytes are not an encoded Block.
var ErrBlock = errors.New("a block of entries is not as it was written")

// NewBlock returns a Block without an entry.
func NewBlock() *Block { return &Block{at: map[string]uint32{}} }

// Len returns the number of entries.
func (b *Block) Len() int { return len(b.records) }

// Newest returns the date of the newest entry, in Unix seconds. There must be one.
func (b *Block) Newest() int64 {
	newest := b.records[0].date
	for _, r := range b.records {
		newest = max(newest, r.date)
	}
	return newest
}

// Add puts an entry in, which names a path at least.
func (b *Block) Add(e Entry) {
	r := record{id: e.ID, date: e.Date, title: distinct(stems.Of(e.Title))}
	r.kind, r.scope = opened(e.Title)
	for _, name := range e.Paths {
		r.paths = append(r.paths, b.place(name))
	}
	at, _ := slices.BinarySearchFunc(b.records, e.ID, byID)
	b.records = slices.Insert(b.records, at, r)
}

func byID(r record, id int64) int { return int(r.id - id) }

func (b *Block) place(name string) uint32 {
	n, ok := b.at[name]
	if !ok {
		n = uint32(len(b.paths))
		b.at[name] = n
		b.paths = append(b.paths, newPath(name))
	}
	return n
}

// Remove removes an entry, and reports whether it was there.
func (b *Block) Remove(id int64) bool {
	at, ok := slices.BinarySearchFunc(b.records, id, byID)
	if ok {
		b.records = slices.Delete(b.records, at, at+1)
	}
	return ok
}

// Encode writes the Block: 32-bit little-endian numbers, the paths that its
// entries name, then the entries. See reader.
func (b *Block) Encode() []byte {
	b.drop()
	var w writer
	w.numbers(uint32(len(b.paths)), uint32(len(b.records)))
	for _, p := range b.paths {
		k := key(p.name)
		w.numbers(uint32(k), uint32(k>>32), p.folder, p.kind, p.base, uint32(len(p.stems)), uint32(len(p.name)))
		w.numbers(p.stems...)
		w = append(w, p.name...)
	}
	for _, r := range b.records {
		w.numbers(uint32(r.id), uint32(r.id>>32), uint32(r.date), uint32(r.date>>32), r.kind, r.scope, uint32(len(r.title)), uint32(len(r.paths)))
		w.numbers(r.title...)
		w.numbers(r.paths...)
	}
	return w
}

// drop removes the paths that no entry names any more.
func (b *Block) drop() {
	paths := b.paths
	b.paths, b.at = nil, map[string]uint32{}
	moved := make(map[uint32]uint32, len(paths))
	for _, r := range b.records {
		for i, n := range r.paths {
			now, ok := moved[n]
			if !ok {
				now = uint32(len(b.paths))
				moved[n] = now
				b.at[paths[n].name] = now
				b.paths = append(b.paths, paths[n])
			}
			r.paths[i] = now
		}
	}
}

// ReadBlock reverses Encode. It fails with ErrBlock if the bytes are not an encoded
// Block.
func ReadBlock(data []byte) (*Block, error) {
	b := NewBlock()
	r := reader{data: data}
	paths, records := r.head()
	for range paths {
		p := r.path()
		b.at[string(p.name)] = uint32(len(b.paths))
		b.paths = append(b.paths, pathRecord{string(p.name), p.folder, p.kind, p.base, p.stems.all()})
	}
	for range records {
		e := r.entry(paths)
		b.records = append(b.records, record{e.id, e.date, e.kind, e.scope, e.title.all(), e.paths.all()})
	}
	return b, r.end()
}

// writer appends numbers.
type writer []byte

func (w *writer) numbers(list ...uint32) {
	for _, n := range list {
		*w = binary.LittleEndian.AppendUint32(*w, n)
	}
}

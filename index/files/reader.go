package files

import "encoding/binary"

// reader reads an encoded Block without a copy. After invalid data it returns only
// zeros, and end reports the error.
type reader struct {
	data []byte
	bad  bool
}

// numbers are encoded ones.
type numbers []byte

func (n numbers) len() int        { return len(n) / 4 }
func (n numbers) at(i int) uint32 { return binary.LittleEndian.Uint32(n[4*i:]) }

func (n numbers) all() []uint32 {
	list := make([]uint32, n.len())
	for i := range list {
		list[i] = n.at(i)
	}
	return list
}

// take reads so many bytes; nil where there are fewer.
func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.data) {
		r.bad, r.data = true, nil
		return nil
	}
	taken := r.data[:n:n]
	r.data = r.data[n:]
	return taken
}

// list reads so many numbers.
func (r *reader) list(n uint32) numbers { return r.take(4 * int(n)) }

var zeros = make(numbers, 4*8)

// row reads n numbers, at most 8, that are always there.
func (r *reader) row(n uint32) numbers {
	if list := r.list(n); list != nil {
		return list
	}
	return zeros
}

// head reads how many paths and entries follow.
func (r *reader) head() (paths, entries uint32) {
	h := r.row(2)
	paths, entries = h.at(0), h.at(1)
	if int64(paths)*pathBytes+int64(entries)*entryBytes > int64(len(r.data)) {
		r.bad = true
		return 0, 0
	}
	return paths, entries
}

// The least bytes of a path and an entry.
const (
	pathBytes  = 7 * 4
	entryBytes = 8 * 4
)

type readPath struct {
	key                uint64
	folder, kind, base uint32
	stems              numbers
	name               []byte
}

func (r *reader) path() readPath {
	h := r.row(7)
	p := readPath{key: wide(h, 0), folder: h.at(2), kind: h.at(3), base: h.at(4), stems: r.list(h.at(5)), name: r.take(int(h.at(6)))}
	if p.base > uint32(p.stems.len()) {
		r.bad, p.base = true, 0
	}
	return p
}

type readEntry struct {
	id, date     int64
	kind, scope  uint32
	title, paths numbers
}

// entry reads an entry, which names places among so many paths.
func (r *reader) entry(paths uint32) readEntry {
	h := r.row(8)
	e := readEntry{int64(wide(h, 0)), int64(wide(h, 2)), h.at(4), h.at(5), r.list(h.at(6)), r.list(h.at(7))}
	for i := range e.paths.len() {
		if e.paths.at(i) >= paths {
			r.bad, e.paths = true, nil
			break
		}
	}
	return e
}

func wide(n numbers, i int) uint64 { return uint64(n.at(i)) | uint64(n.at(i+1))<<32 }

// end fails unless all was read and was as Encode writes it.
func (r *reader) end() error {
	if r.bad || len(r.data) > 0 {
		return ErrBlock
	}
	return nil
}

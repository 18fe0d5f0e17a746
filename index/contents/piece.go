package contents

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"slices"
)

// piece is a group of files with their stems that are stored together. Files
// are sorted by path, and marks refer to them by index.
type piece struct {
	files []known
	marks []uint64 // see markOf; sorted
}

// known describes one file of a piece.
type known struct {
	path          string
	held, defined int // number of stems that it holds, and that it defines
	seen
}

// seen is the data by which an Update sees whether a file changed since it was
// read.
type seen struct {
	Stat
	sum uint64 // of the Doc
}

// markOf encodes that a file holds a stem: the stem in the upper half, then the
// index of the file, then a bit for whether the file defines the stem.
func markOf(hash uint32, file int, defined bool) uint64 {
	m := uint64(hash)<<32 | uint64(file)<<1 //nolint:gosec // an index in a piece
	if defined {
		m |= 1
	}
	return m
}

func markStem(m uint64) uint32  { return uint32(m >> 32) }     //nolint:gosec // its upper half
func markFile(m uint64) int     { return int(uint32(m) >> 1) } //nolint:gosec // its lower half
func markDefines(m uint64) bool { return m&1 != 0 }

// sumOf returns a checksum of a Doc. It reveals no more about the text than the
// stems do.
func sumOf(d Doc) uint64 {
	sum := fnv.New64a()
	for _, list := range [][]uint32{d.Held, {uint32(len(d.Held))}, d.Defined, {uint32(len(d.Defined))}, d.Symbols} { //nolint:gosec // the bytes of a text bound it
		_ = binary.Write(sum, binary.LittleEndian, list)
	}
	return sum.Sum64()
}

// add appends a file. The marks are not sorted until sort is called.
func (p *piece) add(path string, d Doc, s seen) {
	defined := d.Defined
	for _, h := range d.Held {
		for len(defined) > 0 && defined[0] < h {
			defined = defined[1:]
		}
		p.marks = append(p.marks, markOf(h, len(p.files), len(defined) > 0 && defined[0] == h))
	}
	for _, h := range d.exact(path) {
		p.marks = append(p.marks, markOf(h, len(p.files), false))
	}
	p.files = append(p.files, known{path, len(d.Held), len(d.Defined), s})
}

func (p *piece) sort() { slices.Sort(p.marks) }

// weight returns the approximate size of files, in stems.
func weight(files, held int) int { return held + 8*files }

func (p *piece) weight() int { return weight(len(p.files), len(p.marks)) }

// join merges pieces and leaves out their dead files.
func join(pieces []*piece, dead []bitmap) *piece {
	out := &piece{}
	type place struct{ piece, file int }
	var order []place
	numbers := make([][]int, len(pieces))
	for i, p := range pieces {
		numbers[i] = make([]int, len(p.files))
		for n := range p.files {
			if numbers[i][n] = -1; !dead[i].has(n) {
				order = append(order, place{i, n})
			}
		}
	}
	slices.SortFunc(order, func(a, b place) int {
		return cmp.Compare(pieces[a.piece].files[a.file].path, pieces[b.piece].files[b.file].path)
	})
	for n, at := range order {
		numbers[at.piece][at.file] = n
		out.files = append(out.files, pieces[at.piece].files[at.file])
	}
	for i, p := range pieces {
		out.marks = mergeSorted(out.marks, renumbered(p.marks, numbers[i]), cmp.Compare)
	}
	return out
}

// renumbered returns marks with new file numbers, which keep the order of the
// files. It leaves out files with a negative number.
func renumbered(marks []uint64, numbers []int) []uint64 {
	out := make([]uint64, 0, len(marks))
	for _, m := range marks {
		if n := numbers[markFile(m)]; n >= 0 {
			out = append(out, markOf(markStem(m), n, markDefines(m)))
		}
	}
	return out
}

// mergeSorted merges two sorted lists.
func mergeSorted[T any](a, b []T, compare func(x, y T) int) []T {
	out := make([]T, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if compare(b[0], a[0]) < 0 {
			out, b = append(out, b[0]), b[1:]
		} else {
			out, a = append(out, a[0]), a[1:]
		}
	}
	return append(append(out, a...), b...)
}

// bitmap is a set of small numbers.
type bitmap []byte

func (b bitmap) has(n int) bool { return n/8 < len(b) && b[n/8]&(1<<(n%8)) != 0 }

// with returns the set with n added.
func (b bitmap) with(n int) bitmap {
	for len(b) <= n/8 {
		b = append(b, 0)
	}
	b[n/8] |= 1 << (n % 8)
	return b
}

package contents

import (
	"cmp"
	"context"
	"database/sql"
	"math/bits"
	"slices"
)

// find is Find within one transaction.
func find(ctx context.Context, c *sql.Conn, hashes []uint32) (Found, error) {
	rows, err := catalog(ctx, c)
	if err != nil {
		return Found{}, err
	}
	g := newGatherer(rows, hashes)
	if err := blobs(ctx, c, "buckets", g.wanted(), g.bucket); err != nil {
		return Found{}, err
	}
	if err := blobs(ctx, c, "names", g.hit(), g.names); err != nil {
		return Found{}, err
	}
	return g.found(), nil
}

// gatherer combines the results of the pieces for some stems.
type gatherer struct {
	asked  []uint32 // in the order of the query
	sorted []uint32 // distinct
	pieces []gathered
	at     map[int64]int // index in pieces, by id
}

// gathered is the result of one piece.
type gathered struct {
	row    pieceRow
	lists  map[uint32][]byte // by the stems that the piece holds
	hits   []hitFile         // living files that hold a stem, sorted by path
	places []int             // for each file its place in Found.Paths, or -1
}

// hitFile is a file that holds an asked stem.
type hitFile struct {
	path          string
	held, defined int
	of            *gathered
	file          int
}

func newGatherer(rows []pieceRow, hashes []uint32) *gatherer {
	g := &gatherer{asked: hashes, sorted: distinct(slices.Clone(hashes)), at: map[int64]int{}}
	for i, row := range rows {
		g.at[row.id] = i
		g.pieces = append(g.pieces, gathered{row: row, lists: map[uint32][]byte{}})
	}
	return g
}

// wanted returns the ids of the buckets that may hold the stems.
func (g *gatherer) wanted() (ids []int64) {
	for _, p := range g.pieces {
		for i, h := range g.sorted {
			b := bucketOf(h, p.row.bits)
			if p.row.buckets.has(int(b)) && (i == 0 || b != bucketOf(g.sorted[i-1], p.row.bits)) {
				ids = append(ids, p.row.bucketID(b))
			}
		}
	}
	return ids
}

// bucket takes the lists of the stems from one bucket.
func (g *gatherer) bucket(id int64, data []byte) error {
	p, left := &g.pieces[g.at[id>>maxBits]], g.sorted
	return stemLists(data, func(stem uint32, list []byte) bool {
		for len(left) > 0 && left[0] < stem {
			left = left[1:]
		}
		if len(left) > 0 && left[0] == stem {
			p.lists[stem] = slices.Clone(list)
		}
		return len(left) > 0
	})
}

// hit returns the ids of the pieces that hold a stem.
func (g *gatherer) hit() (ids []int64) {
	for _, p := range g.pieces {
		if len(p.lists) > 0 {
			ids = append(ids, p.row.id)
		}
	}
	return ids
}

// names reads the files of a piece and keeps those that hold a stem.
func (g *gatherer) names(id int64, data []byte) error {
	p := &g.pieces[g.at[id]]
	n, err := countOf(data)
	if err != nil {
		return err
	}
	p.places = slices.Repeat([]int{-1}, n)
	holds := make([]bool, n)
	for _, list := range p.lists {
		if err := filesOf(list, n, func(file int, _ bool) { holds[file] = true }); err != nil {
			return err
		}
	}
	p.hits = make([]hitFile, 0, n)
	file := -1
	return eachName(data, func(path []byte, held, defined int) {
		if file++; holds[file] && !p.row.dead.has(file) {
			p.hits = append(p.hits, hitFile{string(path), held, defined, p, file})
		}
	})
}

// found combines the files of all pieces, sorted by path.
func (g *gatherer) found() Found {
	f := Found{Terms: make([]Term, len(g.asked))}
	held, defined := 0, 0
	var files []hitFile
	for i := range g.pieces {
		p := &g.pieces[i]
		f.Files, held, defined = f.Files+p.row.files, held+p.row.held, defined+p.row.defined
		files = mergeFiles(files, p.hits)
	}
	if f.Files > 0 {
		f.MeanHeld, f.MeanDefined = float64(held)/float64(f.Files), float64(defined)/float64(f.Files)
	}
	f.Held, f.Defined = make([]int, len(files)), make([]int, len(files))
	if len(files) > 0 {
		f.Paths = make([]string, len(files))
	}
	for place, h := range files {
		h.of.places[h.file] = place
		f.Paths[place], f.Held[place], f.Defined[place] = h.path, h.held, h.defined
	}
	for n, stem := range g.asked {
		f.Terms[n] = g.term(stem, len(files))
	}
	return f
}

// mergeFiles merges two sorted lists. Most pieces hold neighbouring files, so
// often one list comes completely before the other.
func mergeFiles(a, b []hitFile) []hitFile {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0 || a[len(a)-1].path < b[0].path:
		return append(a, b...)
	}
	return mergeSorted(a, b, func(x, y hitFile) int { return cmp.Compare(x.path, y.path) })
}

// term returns the files that hold and define a stem; files is the number of
// Found.Paths.
func (g *gatherer) term(stem uint32, files int) Term {
	held, defined := make([]uint64, (files+63)/64), make([]uint64, (files+63)/64)
	for _, p := range g.pieces {
		_ = filesOf(p.lists[stem], len(p.places), func(file int, defines bool) { // names has checked the list
			place := p.places[file]
			if place < 0 {
				return
			}
			held[place/64] |= 1 << (place % 64)
			if defines {
				defined[place/64] |= 1 << (place % 64)
			}
		})
	}
	return Term{membersOf(held), membersOf(defined)}
}

// membersOf returns the numbers of the bits that are set, or nil if there are
// none.
func membersOf(set []uint64) []int {
	n := 0
	for _, word := range set {
		n += bits.OnesCount64(word)
	}
	if n == 0 {
		return nil
	}
	list := make([]int, 0, n)
	for i, word := range set {
		for ; word != 0; word &= word - 1 {
			list = append(list, i*64+bits.TrailingZeros64(word))
		}
	}
	return list
}

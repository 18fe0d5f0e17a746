package contents

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// pieceRow is a piece's row in the catalog. Its counts include only living
// files.
type pieceRow struct {
	id                   int64
	bits                 int
	files, held, defined int
	dead                 bitmap // files
	buckets              bitmap // the buckets that are not empty
}

func (r *pieceRow) bucketID(bucket uint32) int64 { return r.id<<maxBits | int64(bucket) }

// bucketIDs returns the ids of all buckets of the piece.
func (r *pieceRow) bucketIDs() (ids []int64) {
	for b := range uint32(1) << r.bits {
		if r.buckets.has(int(b)) {
			ids = append(ids, r.bucketID(b))
		}
	}
	return ids
}

// catalogBytes encodes the rows of pieces.
func catalogBytes(rows []pieceRow) (b []byte) {
	for _, r := range rows {
		for _, v := range []int{int(r.id), r.bits, r.files, r.held, r.defined} {
			b = binary.AppendUvarint(b, uint64(v)) //nolint:gosec // counts
		}
		for _, set := range []bitmap{r.dead, r.buckets} {
			b = append(binary.AppendUvarint(b, uint64(len(set))), set...)
		}
	}
	return b
}

// catalogOf decodes the rows of pieces.
func catalogOf(b []byte) (rows []pieceRow, err error) {
	for r := (reader{b: b}); r.more(); {
		count := func(most uint64) int { return int(r.number(most)) } //nolint:gosec // bounded
		row := pieceRow{id: int64(count(1 << 40)), bits: count(maxBits), files: count(maxNumber), held: count(1 << 40), defined: count(1 << 40)}
		row.dead, row.buckets = slices.Clone(r.bytes()), slices.Clone(r.bytes())
		if r.broken {
			return nil, fmt.Errorf("%w: the catalog breaks off", errDamaged)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

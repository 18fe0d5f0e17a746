package postgres

import (
	"encoding/binary"
	"errors"
	"slices"

	"agentflow/index/stems"
	"strings"
)

// A posting says how often a document holds a term.
type posting struct {
	id     int64           // of the document
	times  [columns]uint32 // in its title, body and files
	length uint32          // tokens of the document, in all columns
}

// columns of a document that are searched: title, body, files.
const columns = 3

// Postings stand in blocks: those of one term in the documents from block<<blockBits on.
const (
	blockBits = 12
	blockSize = 1 << blockBits
)

func blockOf(id int64) int64 { return id >> blockBits }

var errPostings = errors.New("a block of postings is not as it was written")

// encode writes postings of one block, sorted by id: for each what its id is more than
// the one before, how often the term stands in each column, and the length, as varints.
func encode(block int64, list []posting) []byte {
	b := make([]byte, 0, 6*len(list))
	last := block<<blockBits - 1
	for _, p := range list {
		b = binary.AppendUvarint(b, uint64(p.id-last))
		for _, n := range p.times {
			b = binary.AppendUvarint(b, uint64(n))
		}
		b = binary.AppendUvarint(b, uint64(p.length))
		last = p.id
	}
	return b
}

// decode appends the postings of a block to a list.
func decode(list []posting, block int64, b []byte) ([]posting, error) {
	last := block<<blockBits - 1
	for len(b) > 0 {
		var numbers [columns + 2]uint64
		for i := range numbers {
			n, size := binary.Uvarint(b)
			if size <= 0 || n > 1<<32-1 {
				return nil, errPostings
			}
			numbers[i], b = n, b[size:]
		}
		p := posting{id: last + int64(numbers[0]), length: uint32(numbers[columns+1])}
		if numbers[0] == 0 || blockOf(p.id) != block {
			return nil, errPostings
		}
		for i := range p.times {
			p.times[i] = uint32(numbers[1+i])
		}
		list, last = append(list, p), p.id
	}
	return list, nil
}

// merge takes postings out of a block and others in.
func merge(list, added []posting, removed map[int64]bool) []posting {
	list = slices.DeleteFunc(list, func(p posting) bool { return removed[p.id] })
	list = append(list, added...)
	slices.SortFunc(list, func(a, b posting) int { return int(a.id - b.id) })
	return list
}

// postingsOf are those of a document, by the hashes of its terms. The columns are stems
// with blanks between.
func postingsOf(id int64, text [columns]string) map[uint32]posting {
	found := map[uint32]posting{}
	length := uint32(0)
	for column, words := range text {
		for stem := range strings.FieldsSeq(words) {
			h := stems.Hash(stem)
			p := found[h]
			p.id = id
			p.times[column]++
			found[h] = p
			length++
		}
	}
	for h, p := range found {
		p.length = length
		found[h] = p
	}
	return found
}

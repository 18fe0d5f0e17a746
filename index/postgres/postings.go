package postgres

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"agentflow/index/stems"
)

// A posting records how often a document holds a term.
type posting struct {
	id     int64           // of the document
	times  [columns]uint32 // in its title, body and files
	length uint32          // tokens of the document, in all columns
}

// columns counts the searched columns of a document: title, body, files.
const columns = 3

// Postings fill blocks: a block has the postings of one term in the
// documents from block<<blockBits on.
const (
	blockBits = 12
	blockSize = 1 << blockBits
)

func blockOf(id int64) int64 { return id >> blockBits }

var errPostings = errors.New("a block of postings is not as it was written")

// coded is a block in its stored form, with all numbers as varints: the number
// of postings, the size in bytes of the list of documents, for each document
// the distance of its place from the place before, and for each document how
// often the term occurs in each column, and its length. The documents that hold
// a term can be read without the rest.
type coded struct {
	number      int
	places      []byte
	frequencies []byte
}

// encode writes postings of one block, sorted by id.
func encode(list []posting) []byte {
	if len(list) == 0 {
		return []byte{}
	}
	var places, frequencies []byte
	last := uint64(0)
	for _, p := range list {
		place := uint64(p.id) % blockSize
		places = binary.AppendUvarint(places, place-last)
		last = place + 1
		for _, n := range p.times {
			frequencies = binary.AppendUvarint(frequencies, uint64(n))
		}
		frequencies = binary.AppendUvarint(frequencies, uint64(p.length))
	}
	b := binary.AppendUvarint(nil, uint64(len(list)))
	b = binary.AppendUvarint(b, uint64(len(places)))
	return slices.Concat(b, places, frequencies)
}

// open splits a block into its parts.
func open(b []byte) (c coded, err error) {
	if len(b) == 0 {
		return c, nil
	}
	number, n := binary.Uvarint(b)
	if n <= 0 || number == 0 || number > blockSize {
		return c, errPostings
	}
	size, m := binary.Uvarint(b[n:])
	if m <= 0 || size > uint64(len(b)-n-m) {
		return c, errPostings
	}
	b = b[n+m:]
	return coded{int(number), b[:size], b[size:]}, nil
}

// documents calls f with the places in the block of the documents that hold the
// term, in order.
func (c coded) documents(f func(place int)) error {
	b, place := c.places, -1
	for range c.number {
		more, n := uint64(0), 1
		if len(b) > 0 && b[0] < 0x80 {
			more = uint64(b[0])
		} else {
			more, n = binary.Uvarint(b)
		}
		if n <= 0 || more >= blockSize {
			return errPostings
		}
		if place += int(more) + 1; place >= blockSize {
			return errPostings
		}
		b = b[n:]
		f(place)
	}
	if len(b) > 0 {
		return errPostings
	}
	return nil
}

// counts calls f with all postings, in order. Their ids are places in the
// block.
func (c coded) counts(f func(p posting)) error {
	b := c.frequencies
	broken := false
	next := func() uint32 {
		if len(b) > 0 && b[0] < 0x80 {
			n := b[0]
			b = b[1:]
			return uint32(n)
		}
		n, size := binary.Uvarint(b)
		if size <= 0 || n > 1<<32-1 {
			broken = true
			return 0
		}
		b = b[size:]
		return uint32(n)
	}
	err := c.documents(func(place int) {
		p := posting{id: int64(place)}
		for i := range p.times {
			p.times[i] = next()
		}
		p.length = next()
		if !broken {
			f(p)
		}
	})
	if err != nil || broken || len(b) > 0 {
		return errPostings
	}
	return nil
}

// decode reads the postings of a block.
func decode(block int64, b []byte) (list []posting, err error) {
	c, err := open(b)
	if err == nil {
		err = c.counts(func(p posting) {
			p.id += block << blockBits
			list = append(list, p)
		})
	}
	return list, err
}

// merge removes postings from a block and adds others.
func merge(list, added []posting, removed map[int64]bool) []posting {
	list = slices.DeleteFunc(list, func(p posting) bool { return removed[p.id] })
	list = append(list, added...)
	slices.SortFunc(list, func(a, b posting) int { return int(a.id - b.id) })
	return list
}

// postingsOf returns the postings of a document by the hashes of its terms. The
// columns are stems separated by spaces.
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

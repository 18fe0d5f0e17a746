package contents

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"math/bits"
)

// errDamaged reports stored bytes that this package cannot have written.
var errDamaged = errors.New("the contents index is damaged")

// bucketMarks is about how many marks a bucket holds.
const bucketMarks = 1 << 10

// maxBits limits the number of buckets of a piece to 1<<maxBits.
const maxBits = 12

// bits returns how many leading bits of a stem select its bucket.
func (p *piece) bits() int { return min(bits.Len(uint(len(p.marks)/bucketMarks)), maxBits) }

// bucketOf returns the bucket of a stem.
func bucketOf(hash uint32, bits int) uint32 { return hash >> (32 - bits) }

// buckets yields the bytes of each bucket that is not empty. Each stem is
// stored as the distance from the stem before, the number of bytes that follow,
// and for each file the distance from the file before, doubled, plus 1 if the
// file defines the stem.
func (p *piece) buckets(bits int) iter.Seq2[uint32, []byte] {
	return func(yield func(uint32, []byte) bool) {
		for rest := p.marks; len(rest) > 0; {
			bucket, end, last := bucketOf(markStem(rest[0]), bits), 0, uint32(0)
			var b, list []byte
			for end < len(rest) && bucketOf(markStem(rest[end]), bits) == bucket {
				stem, file := markStem(rest[end]), -1
				list = list[:0]
				for ; end < len(rest) && markStem(rest[end]) == stem; end++ {
					m := rest[end]
					list = binary.AppendUvarint(list, uint64(markFile(m)-file)<<1|m&1) //nolint:gosec // files rise
					file = markFile(m)
				}
				b = binary.AppendUvarint(b, uint64(stem-last))
				b = append(binary.AppendUvarint(b, uint64(len(list))), list...)
				last = stem
			}
			if rest = rest[end:]; !yield(bucket, b) {
				return
			}
		}
	}
}

// seal appends a checksum to the bytes of a row.
func seal(id int64, b []byte) []byte { return binary.LittleEndian.AppendUint32(b, checksum(id, b)) }

// unseal verifies and removes the checksum.
func unseal(id int64, b []byte) ([]byte, error) {
	end := len(b) - 4
	if end < 0 || checksum(id, b[:end]) != binary.LittleEndian.Uint32(b[end:]) {
		return nil, fmt.Errorf("%w: a checksum is wrong", errDamaged)
	}
	return b[:end], nil
}

func checksum(id int64, b []byte) uint32 { return crc32.ChecksumIEEE(b) ^ uint32(id) } //nolint:gosec // its lower bits

// reader reads numbers and byte strings. After an error, which it keeps, it
// reads nothing. It advances an index, because moving a slice costs more while
// garbage is collected.
type reader struct {
	b      []byte
	at     int
	broken bool
}

func (r *reader) more() bool { return r.at < len(r.b) }

func (r *reader) number(most uint64) uint64 {
	if r.at < len(r.b) && r.b[r.at] < 0x80 && uint64(r.b[r.at]) <= most { // the usual case
		r.at++
		return uint64(r.b[r.at-1])
	}
	return r.long(most)
}

// long reads a number of several bytes.
func (r *reader) long(most uint64) uint64 {
	v, n := binary.Uvarint(r.b[r.at:])
	if n <= 0 || v > most {
		r.stop()
		return 0
	}
	r.at += n
	return v
}

func (r *reader) bytes() []byte {
	n := r.number(uint64(len(r.b)))
	if n > uint64(len(r.b)-r.at) {
		r.stop()
		return nil
	}
	r.at += int(n) //nolint:gosec // checked
	return r.b[r.at-int(n) : r.at]
}

func (r *reader) stop() { r.broken, r.at = true, len(r.b) }

func (r *reader) err() error {
	if r.broken {
		return fmt.Errorf("%w: a row breaks off", errDamaged)
	}
	return nil
}

// Bounds of stored numbers.
const (
	maxNumber = 1 << 30 // number of a file within a piece
	maxPath   = 1 << 16 // bytes
)

// stemLists calls f with the list of each stem of a bucket, in order, until f
// returns false.
func stemLists(b []byte, f func(stem uint32, list []byte) bool) error {
	r := reader{b: b}
	for first, stem := true, uint64(0); r.more(); first = false {
		step := r.number(1 << 32)
		list := r.bytes()
		if stem += step; r.broken || stem >= 1<<32 || step == 0 && !first {
			return fmt.Errorf("%w: a bucket breaks off", errDamaged)
		}
		if !f(uint32(stem), list) { //nolint:gosec // checked
			break
		}
	}
	return nil
}

// filesOf calls f with each file of a stem's list. files is the number of files
// of the piece.
func filesOf(list []byte, files int, f func(file int, defined bool)) error {
	r := reader{b: list}
	for file := -1; r.more(); {
		v := r.number(2 * maxNumber)
		if file += int(v >> 1); r.broken || v < 2 || file >= files { //nolint:gosec // bounded
			return fmt.Errorf("%w: a stem has a file that is not there", errDamaged)
		}
		f(file, v&1 != 0)
	}
	return nil
}

// marksOf appends the marks of a bucket to a slice.
func marksOf(to []uint64, b []byte, files int) (marks []uint64, err error) {
	marks = to
	broken := stemLists(b, func(stem uint32, list []byte) bool {
		err = filesOf(list, files, func(file int, defined bool) { marks = append(marks, markOf(stem, file, defined)) })
		return err == nil
	})
	return marks, cmp.Or(broken, err)
}

// nameBytes encodes the paths of the files, each by the length of the prefix it
// shares with the path before and the rest, and how many stems each file holds
// and defines.
func (p *piece) nameBytes() []byte {
	b := binary.AppendUvarint(nil, uint64(len(p.files)))
	last := ""
	for _, f := range p.files {
		n := 0
		for n < min(len(last), len(f.path)) && last[n] == f.path[n] {
			n++
		}
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(n)), uint64(len(f.path)-n)) //nolint:gosec // n is no more
		b = append(b, f.path[n:]...)
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(f.held)), uint64(f.defined)) //nolint:gosec // counts
		last = f.path
	}
	return b
}

// namesOf decodes the files of nameBytes.
func namesOf(b []byte) (files []known, err error) {
	n, err := countOf(b)
	if err != nil {
		return nil, err
	}
	files = make([]known, 0, n)
	err = eachName(b, func(path []byte, held, defined int) {
		files = append(files, known{path: string(path), held: held, defined: defined})
	})
	return files, err
}

// countOf returns the number of files in encoded names.
func countOf(b []byte) (int, error) {
	r := reader{b: b}
	n := int(r.number(uint64(len(b)))) //nolint:gosec // each takes more than a byte
	return n, r.err()
}

// eachName calls f with each file of encoded names; path is valid until f
// returns.
func eachName(b []byte, f func(path []byte, held, defined int)) error {
	r := reader{b: b}
	var path []byte
	for range r.number(uint64(len(b))) {
		shared := r.number(uint64(len(path)))
		path = append(path[:shared], r.bytes()...)
		held, defined := r.number(maxNumber), r.number(maxNumber)
		if r.broken || len(path) > maxPath {
			return fmt.Errorf("%w: names break off", errDamaged)
		}
		f(path, int(held), int(defined)) //nolint:gosec // bounded
	}
	return r.err()
}

// statSize counts the bytes of one file in stats.
const statSize = 5 * 8

// stats encodes the data by which an Update sees whether a file changed.
func stats(files []known) []byte {
	b := make([]byte, 0, len(files)*statSize)
	for _, f := range files {
		for _, v := range []uint64{uint64(f.Size), uint64(f.Mtime), uint64(f.Ctime), f.Inode, f.sum} { //nolint:gosec // their bits
			b = binary.LittleEndian.AppendUint64(b, v)
		}
	}
	return b
}

// readStats decodes the stats of files.
func readStats(b []byte, files []known) error {
	if len(b) != len(files)*statSize {
		return fmt.Errorf("%w: there are stats of %d files, and %d", errDamaged, len(b)/statSize, len(files))
	}
	for i := range files {
		v := func(n int) uint64 { return binary.LittleEndian.Uint64(b[i*statSize+8*n:]) }
		files[i].seen = seen{Stat{int64(v(0)), int64(v(1)), int64(v(2)), v(3)}, v(4)} //nolint:gosec // their bits
	}
	return nil
}

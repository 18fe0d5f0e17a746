package packs

import (
	"errors"
	"io"
)

// index is the index of one pack, version 2 (gitformat-pack(5)).
type index struct {
	names
	offsets, large int64 // where the offsets and the 8-byte offsets begin
	size           int64 // of the file, in bytes
}

const (
	indexMagic   = 0xff744f63 // "\377tOc"
	indexHeader  = 8
	fanSize      = 256 * 4
	trailersSize = 2 * idSize
	// isLarge marks a 4-byte offset that is an index into the 8-byte offsets.
	isLarge = 1 << 31
)

// errIndex means that a file is not an index of version 2. Git wrote version 1 until 2008. Objects
// in a pack with such an index are reported as unread.
var errIndex = errors.New("it is no index of version 2; 'git repack -ad' writes one")

// openIndex reads the header of an index of size bytes.
func openIndex(in io.ReaderAt, size int64) (*index, error) {
	x := &index{names: names{in: in, at: indexHeader + fanSize}, size: size}
	head, err := number(in, 0, 8)
	if err != nil {
		return nil, err
	}
	if head != indexMagic<<32|2 {
		return nil, errIndex
	}
	if err := x.readFan(indexHeader); err != nil {
		return nil, err
	}
	n := x.count()
	x.offsets = x.at + n*(idSize+4) // after the names and their checksums
	x.large = x.offsets + n*4
	if x.large+trailersSize > size {
		return nil, errDamaged
	}
	return x, nil
}

// offset finds where an object begins in the pack.
func (x *index) offset(id ID) (at int64, ok bool, err error) {
	place, ok, err := x.find(id)
	if !ok || err != nil {
		return 0, false, err
	}
	short, err := number(x.in, x.offsets+4*place, 4)
	if err != nil {
		return 0, false, err
	}
	at, err = longOffset(x.in, short, x.large, x.size-trailersSize)
	return at, err == nil, err
}

// longOffset returns an offset that may be in the table of 8-byte offsets. The table begins and
// ends at the given places.
func longOffset(in io.ReaderAt, short uint64, table, end int64) (int64, error) {
	if short&isLarge == 0 {
		return int64(short), nil
	}
	at := table + 8*int64(short&^isLarge)
	if at+8 > end {
		return 0, errDamaged
	}
	long, err := number(in, at, 8)
	if err == nil && long > 1<<62 {
		err = errDamaged
	}
	return int64(long), err
}

package gitwatch

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // git's object ids
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/index"
)

// errIndexFile is an index that does not follow gitformat-index(5).
var errIndexFile = errors.New("the index is damaged")

// requiredError names an extension that a reader has to know.
type requiredError string

func (e requiredError) Error() string { return "it needs " + e.name() }

// name says what a user calls it.
func (e requiredError) name() string {
	switch e {
	case "sdir":
		return "a sparse index"
	case "link":
		return "a split index"
	}
	return "an index extension of a later git"
}

// Parts of an index, in bytes, and flags of its entries.
const (
	indexHeader = 12
	entryFixed  = 62 // before the name, without the second flags
	entryMore   = 1 << 14
	entryAdded  = 1 << 13 // in the second flags
	entrySkip   = 1 << 14 // in the second flags
	maxLength   = 1<<12 - 1
)

// parseIndex reads the entries of an index of version 2, 3 or 4
// (gitformat-index(5)). go-git's reader takes ten times as long, which was
// half of a snapshot. Extensions are passed over; one that must be known is a
// requiredError.
func parseIndex(raw []byte) ([]*index.Entry, error) {
	end := len(raw) - sha1.Size
	if end < indexHeader || string(raw[:4]) != "DIRC" {
		return nil, errIndexFile
	}
	if sum := sha1.Sum(raw[:end]); !bytes.Equal(sum[:], raw[end:]) && !bytes.Equal(raw[end:], make([]byte, sha1.Size)) { //nolint:gosec // the format's checksum
		return nil, fmt.Errorf("%w: its checksum is wrong", errIndexFile) // all zero: index.skipHash
	}
	version, count := binary.BigEndian.Uint32(raw[4:]), int64(binary.BigEndian.Uint32(raw[8:]))
	if version < 2 || version > 4 {
		return nil, fmt.Errorf("index version %d is not known", version)
	}
	if count > int64(end/entryFixed) {
		return nil, errIndexFile
	}
	p := indexParser{raw: raw[:end], at: indexHeader, version: version}
	entries, slab := make([]*index.Entry, count), make([]index.Entry, count)
	for i := range slab {
		if !p.entry(&slab[i]) {
			return nil, errIndexFile
		}
		entries[i] = &slab[i]
	}
	return entries, p.extensions()
}

type indexParser struct {
	raw     []byte
	at      int
	version uint32
	last    string // name of the entry before
}

func (p *indexParser) entry(e *index.Entry) bool {
	b := p.raw[p.at:]
	if len(b) < entryFixed+1 {
		return false
	}
	word := func(i int) uint32 { return binary.BigEndian.Uint32(b[4*i:]) }
	e.CreatedAt, e.ModifiedAt = stamp(word(0), word(1)), stamp(word(2), word(3))
	e.Dev, e.Inode, e.Mode, e.UID, e.GID, e.Size = word(4), word(5), filemode.FileMode(word(6)), word(7), word(8), word(9)
	copy(e.Hash[:], b[40:60])
	flags := binary.BigEndian.Uint16(b[60:])
	e.Stage = index.Stage(flags>>12) & 3
	fixed := entryFixed
	if flags&entryMore != 0 {
		if len(b) < fixed+2 {
			return false
		}
		more := binary.BigEndian.Uint16(b[fixed:])
		e.IntentToAdd, e.SkipWorktree = more&entryAdded != 0, more&entrySkip != 0
		fixed += 2
	}
	return p.name(e, b, fixed)
}

// name reads the name, which begins at b[fixed:], and goes on to the next
// entry.
func (p *indexParser) name(e *index.Entry, b []byte, fixed int) bool {
	kept, from := "", fixed
	if p.version == 4 {
		drop, n := offset(b[fixed:])
		if n == 0 || drop > len(p.last) {
			return false
		}
		kept, from = p.last[:len(p.last)-drop], fixed+n
	}
	n := bytes.IndexByte(b[from:], 0)
	if n < 0 {
		return false
	}
	next := from + n + 1
	if p.version < 4 {
		next = (fixed + n + 8) &^ 7 // one to eight NULs
	}
	// The length that the flags hold is cut off at their width.
	if length := binary.BigEndian.Uint16(b[60:]) & maxLength; next > len(b) || p.version < 4 && int(length) != min(n, maxLength) {
		return false
	}
	e.Name = kept + string(b[from:from+n])
	p.last = e.Name
	p.at += next
	return true
}

// extensions looks for one that cannot be passed over.
func (p *indexParser) extensions() error {
	for b := p.raw[p.at:]; len(b) > 0; {
		if len(b) < 8 {
			return errIndexFile
		}
		size := int64(binary.BigEndian.Uint32(b[4:]))
		if b[0] < 'A' || b[0] > 'Z' {
			return requiredError(b[:4])
		}
		if size > int64(len(b)-8) {
			return errIndexFile
		}
		b = b[8+size:]
	}
	return nil
}

// stamp is a time of the index; zero is none.
func stamp(sec, nsec uint32) time.Time {
	if sec == 0 && nsec == 0 {
		return time.Time{}
	}
	return time.Unix(int64(sec), int64(nsec))
}

// offset reads a variable width number, of n bytes; n is 0 when there is none.
func offset(b []byte) (value, n int) {
	for i, c := range b {
		if i > 4 {
			return 0, 0
		}
		if i > 0 {
			value++
		}
		value = value<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			return value, i + 1
		}
	}
	return 0, 0
}

package gitindex

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"
	"unsafe"

	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/objects"
)

// errIndexFile reports an index that does not follow gitformat-index(5).
var errIndexFile = errors.New("the index is damaged")

// requiredError names an extension that a reader must understand.
type requiredError string

func (e requiredError) Error() string { return "it needs " + e.name() }

// name returns the name that users know.
func (e requiredError) name() string {
	switch e {
	case "sdir":
		return "a sparse index"
	case "link":
		return "a split index"
	}
	return "an index extension of a later git"
}

// indexMagic begins every index.
const indexMagic = "DIRC"

// Parts of an index, in bytes.
const (
	indexHeader = 12
	entryStat   = 40                              // of an entry, before its id
	maxFixed    = entryStat + sha256.Size + 2 + 2 // before the name, with both flags
)

// parseEntries reads the entries of an index of version 2, 3 or 4 (gitformat-index(5)), and the
// contents of its extensions. Both share the bytes of raw, which must not change any more. An
// unknown extension that a reader must understand gives a requiredError. Others are skipped.
// CheckSum reports whether the bytes are intact.
func parseEntries(raw []byte, ids git.Algorithm) (entries []Entry, ext extensions, err error) {
	p, err := newIndexParser(raw, ids)
	if err != nil {
		return nil, ext, err
	}
	p.end -= ids.Size()
	count := int64(binary.BigEndian.Uint32(raw[8:]))
	if p.end < indexHeader || count > int64(p.end/(entryStat+ids.Size()+2)) {
		return nil, ext, errIndexFile
	}
	entries = make([]Entry, count)
	for i := range entries {
		if !p.entry(&entries[i]) {
			return nil, ext, errIndexFile
		}
	}
	if ext, err = p.extensions(); err == nil && !inOrder(entries) {
		err = errIndexFile
	}
	return entries, ext, err
}

// CheckSum checks that an index is as git wrote it. With index.skipHash the checksum is all zero.
func CheckSum(raw []byte, ids git.Algorithm) error {
	end := len(raw) - ids.Size()
	sum := ids.New()
	sum.Write(raw[:end])
	if !bytes.Equal(sum.Sum(nil), raw[end:]) && !bytes.Equal(raw[end:], make([]byte, ids.Size())) {
		return fmt.Errorf("%w: its checksum is wrong", errIndexFile)
	}
	return nil
}

// inOrder reports whether entries are sorted by name, then stage. Those of a split index need not
// be.
func inOrder(entries []Entry) bool {
	var last Entry
	for _, e := range entries {
		if e.Name < last.Name || e.Name == last.Name && (e.Name == "" || e.Stage() <= last.Stage()) {
			return false
		}
		last = e
	}
	return true
}

// newIndexParser returns a parser at the first entry of an index, or of its beginning.
func newIndexParser(raw []byte, ids git.Algorithm) (*indexParser, error) {
	if len(raw) < indexHeader || string(raw[:len(indexMagic)]) != indexMagic {
		return nil, errIndexFile
	}
	version := binary.BigEndian.Uint32(raw[4:])
	if version < 2 || version > 4 {
		return nil, fmt.Errorf("index version %d is not known", version)
	}
	return &indexParser{raw: raw, ids: ids, end: len(raw), at: indexHeader, version: version}, nil
}

type indexParser struct {
	raw     []byte
	ids     git.Algorithm
	end, at int
	version uint32
	names   []byte // for version 4: the buffer for the next names
	last    string // name of the entry before
}

func (p *indexParser) entry(e *Entry) bool {
	if p.at > p.end || len(p.raw)-p.at < maxFixed {
		return false // the checksum follows the last entry, which is shorter
	}
	e.fixed, e.ids = (*[maxFixed]byte)(p.raw[p.at:]), p.ids
	fixed := e.atFlags() + 2
	if e.flags()&entryExtended != 0 {
		fixed += 2
	}
	b := p.raw[p.at:p.end]
	if len(b) <= fixed {
		return false
	}
	if p.version == 4 {
		return p.compressedName(e, b, fixed)
	}
	// The length in the flags is capped at the width of its field.
	n := int(e.flags() & maxLength)
	if n == maxLength {
		n = max(n, bytes.IndexByte(b[fixed:], 0))
	}
	next := (fixed + n + 8) &^ 7 // one to eight NULs
	if next > len(b) || b[fixed+n] != 0 {
		return false
	}
	e.Name = unsafe.String(&b[fixed], n) // 80,000 copies are half of a parse
	p.at += next
	return bytes.IndexByte(b[fixed:fixed+n], 0) < 0
}

// compressedName reads a name of version 4: how many bytes to remove from the end of the name
// before, and the text to append.
func (p *indexParser) compressedName(e *Entry, b []byte, fixed int) bool {
	drop, n := varint(b[fixed:])
	if n == 0 || drop > len(p.last) {
		return false
	}
	kept, from := p.last[:len(p.last)-drop], fixed+n
	n = bytes.IndexByte(b[from:], 0)
	if n < 0 {
		return false
	}
	if size := len(kept) + n; cap(p.names)-len(p.names) < size {
		p.names = make([]byte, 0, max(size, 1<<16)) // the full buffer stays in use by its names
	}
	start := len(p.names)
	p.names = append(append(p.names, kept...), b[from:from+n]...)
	name := p.names[start:]
	e.Name = unsafe.String(unsafe.SliceData(name), len(name))
	p.last = e.Name
	p.at += from + n + 1
	return true
}

// extensions holds the contents of the extensions that are read.
type extensions struct {
	cacheTree []byte
	monitor   []byte // git's file system monitor
}

// extensions returns the contents of the extensions that are read, and looks for one that must not
// be skipped.
func (p *indexParser) extensions() (ext extensions, err error) {
	for b := p.raw[p.at:p.end]; len(b) > 0; {
		if len(b) < 8 {
			return ext, errIndexFile
		}
		name, size := string(b[:4]), int64(binary.BigEndian.Uint32(b[4:]))
		if name[0] < 'A' || name[0] > 'Z' {
			return ext, requiredError(name)
		}
		if size > int64(len(b)-8) {
			return ext, errIndexFile
		}
		switch name {
		case "TREE":
			ext.cacheTree = b[8 : 8+size]
		case "FSMN":
			ext.monitor = b[8 : 8+size]
		}
		b = b[8+size:]
	}
	return ext, nil
}

// varint reads a variable width number, of n bytes. n is 0 if there is none.
func varint(b []byte) (value, n int) {
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

// Entry is one entry of the index. It is a view of the index's bytes: 300,000 of them take 10 MB in
// addition.
type Entry struct {
	Name  string
	fixed *[maxFixed]byte
	ids   git.Algorithm
}

// Flags of an entry.
const (
	entryAssumed  = 1 << 15
	entryExtended = 1 << 14
	entryAdded    = 1 << 13 // in the second flags
	entrySkip     = 1 << 14 // in the second flags
	maxLength     = 1<<12 - 1
)

func (e *Entry) word(i int) uint32 { return binary.BigEndian.Uint32(e.fixed[4*i:]) }

func (e *Entry) Ctime() Stamp       { return Stamp{int64(e.word(0)), int64(e.word(1))} }
func (e *Entry) Mtime() Stamp       { return Stamp{int64(e.word(2)), int64(e.word(3))} }
func (e *Entry) Inode() uint32      { return e.word(5) }
func (e *Entry) Mode() uint32       { return e.word(6) }
func (e *Entry) Size() uint32       { return e.word(9) }
func (e *Entry) ID() git.ID         { return git.ID(e.fixed[entryStat:e.atFlags()]) }
func (e *Entry) File() objects.File { return objects.File{Mode: e.Mode(), Hash: e.ID().String()} }
func (e *Entry) Stage() uint16      { return e.flags() >> 12 & 3 }
func (e *Entry) atFlags() int       { return entryStat + e.ids.Size() }
func (e *Entry) flags() uint16      { return binary.BigEndian.Uint16(e.fixed[e.atFlags():]) }

// extendedFlags returns the second flags, which few entries have.
func (e *Entry) extendedFlags() uint16 {
	if e.flags()&entryExtended == 0 {
		return 0
	}
	return binary.BigEndian.Uint16(e.fixed[e.atFlags()+2:])
}

// Flagged reports whether git does not look at the file: the file is to be treated as unchanged
// (git update-index --assume-unchanged), or a sparse checkout leaves it out.
func (e *Entry) Flagged() bool {
	return e.flags()&entryAssumed != 0 || e.extendedFlags()&entrySkip != 0
}

// Merged reports whether the entry has content: it is neither a side of a conflict nor a name that
// git add -N added.
func (e *Entry) Merged() bool { return e.Stage() == 0 && e.extendedFlags()&entryAdded == 0 }

// Stamp is a point in time as file systems and the index keep it. The zero Stamp means none.
type Stamp struct{ Sec, Nsec int64 }

func (s Stamp) Nanos() int64 { return s.Sec*int64(time.Second) + s.Nsec }

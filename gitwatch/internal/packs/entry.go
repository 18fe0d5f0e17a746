package packs

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"errors"
	"io"
)

// kinds maps the numbers of object types in packs to their names.
var kinds = [...]string{1: "commit", 2: "tree", 3: "blob", 4: "tag"}

const (
	offsetDelta    = 6 // the base is another entry of the pack
	referenceDelta = 7 // the base is named
)

// entry is the head of an object in a pack (gitformat-pack(5)).
type entry struct {
	kind int
	size int64 // of the packed data: for a delta, not of its result
	base int64 // for an offset delta: where its base begins
	name ID    // for a reference delta: its base
	data *bufio.Reader
}

// readEntry reads the head of the entry that begins at an offset of a pack.
func readEntry(in io.ReaderAt, size, at int64) (*entry, error) {
	if at < 0 || at >= size {
		return nil, errDamaged
	}
	e := &entry{data: bufio.NewReaderSize(io.NewSectionReader(in, at, size-at), 4096)}
	first, err := e.data.ReadByte()
	if err != nil {
		return nil, noEOF(err)
	}
	e.kind, e.size = int(first>>4&7), int64(first&15)
	if first&0x80 != 0 {
		rest, err := varint(e.data)
		if err != nil || rest > 1<<50 {
			return nil, errors.Join(errDamaged, err)
		}
		e.size |= rest << 4
	}
	switch e.kind {
	case offsetDelta:
		back, err := distance(e.data)
		if err != nil || back <= 0 || back > at {
			return nil, errors.Join(errDamaged, err)
		}
		e.base = at - back
	case referenceDelta:
		if _, err := io.ReadFull(e.data, e.name[:]); err != nil {
			return nil, noEOF(err)
		}
	case 0, 5:
		return nil, errDamaged
	}
	return e, nil
}

// varint reads a number with seven bits per byte, the lowest first.
func varint(in io.ByteReader) (n int64, err error) {
	for shift := 0; shift < 63; shift += 7 {
		b, err := in.ReadByte()
		if err != nil {
			return 0, noEOF(err)
		}
		n |= int64(b&0x7f) << shift
		if b < 0x80 {
			return n, nil
		}
	}
	return 0, errDamaged
}

// distance reads how far before a delta its base begins: seven bits per byte, the highest first,
// plus one for each further byte.
func distance(in io.ByteReader) (n int64, err error) {
	for range 9 {
		b, err := in.ReadByte()
		if err != nil {
			return 0, noEOF(err)
		}
		n |= int64(b & 0x7f)
		if b < 0x80 {
			return n, nil
		}
		n = (n + 1) << 7
	}
	return 0, errDamaged
}

// inflater unpacks one object at a time. It keeps its tables, which are large.
type inflater struct{ z io.ReadCloser }

func (f *inflater) reset(in io.Reader) (err error) {
	if f.z == nil {
		f.z, err = zlib.NewReader(in)
	} else {
		err = f.z.(zlib.Resetter).Reset(in, nil)
	}
	return asDamage(err)
}

// asDamage returns any error with packed data as errDamaged.
func asDamage(err error) error {
	if err != nil {
		return errors.Join(errDamaged, err)
	}
	return nil
}

// ahead bounds the memory that is allocated for data before it is read, because damaged data may
// claim any size.
const ahead = 1 << 20

// all unpacks data that must have size bytes.
func (f *inflater) all(in io.Reader, size int64) ([]byte, error) {
	if err := f.reset(in); err != nil {
		return nil, err
	}
	return exactly(f.z, size)
}

// exactly reads data that must have size bytes.
func exactly(in io.Reader, size int64) ([]byte, error) {
	b := bytes.NewBuffer(make([]byte, 0, min(size, ahead)+bytes.MinRead))
	n, err := b.ReadFrom(io.LimitReader(in, size+1))
	if err != nil || n != size {
		return nil, errors.Join(errDamaged, err)
	}
	return b.Bytes(), nil
}

// first unpacks at most n bytes.
func (f *inflater) first(in io.Reader, n int) ([]byte, error) {
	if err := f.reset(in); err != nil {
		return nil, err
	}
	b := make([]byte, n)
	n, err := io.ReadFull(f.z, b)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, errors.Join(errDamaged, err)
	}
	return b[:n], nil
}

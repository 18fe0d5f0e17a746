package packs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

// errDamaged means that a file is not as git writes it.
var errDamaged = errors.New("it is damaged")

// ID is the name of an object: its SHA-1.
type ID [idSize]byte

const idSize = 20

// names is a table of object names as in pack indexes. The names are sorted. Before them is a
// fan-out table that counts, for each first byte, the names up to it (gitformat-pack(5)).
type names struct {
	in     io.ReaderAt
	fan    [256]uint32
	at     int64  // where the names begin
	window []byte // the names that were read last
}

// readFan reads the fan-out table at an offset.
func (n *names) readFan(at int64) error {
	var table [256 * 4]byte
	if _, err := n.in.ReadAt(table[:], at); err != nil {
		return noEOF(err)
	}
	before := uint32(0)
	for i := range n.fan {
		n.fan[i] = binary.BigEndian.Uint32(table[4*i:])
		if n.fan[i] < before {
			return errDamaged
		}
		before = n.fan[i]
	}
	return nil
}

// count returns the number of names.
func (n *names) count() int64 { return int64(n.fan[255]) }

// windowNames limits the names read at a time. Names are spread evenly, so the first guess is
// rarely off by more.
const windowNames = 128

// find returns the index of a name in the table. It guesses by the name's next bytes, and uses
// binary search if the guess was wrong.
func (n *names) find(id ID) (place int64, ok bool, err error) {
	low, high := int64(0), int64(n.fan[id[0]])
	if id[0] > 0 {
		low = int64(n.fan[id[0]-1])
	}
	guess := low + int64(float64(high-low)*float64(binary.BigEndian.Uint32(id[1:]))/(1<<32))
	for low < high {
		from := min(max(low, guess-windowNames/2), high-1)
		to := min(from+windowNames, high)
		if err := n.read(from, to); err != nil {
			return 0, false, err
		}
		switch {
		case bytes.Compare(id[:], n.name(0)) < 0:
			high = from
		case bytes.Compare(id[:], n.name(to-from-1)) > 0:
			low = to
		default:
			at, ok := n.inWindow(id)
			return from + at, ok, nil
		}
		guess = low + (high-low)/2
	}
	return 0, false, nil
}

// read reads the names with the indexes from up to, but not including, to.
func (n *names) read(from, to int64) error {
	if n.window = n.window[:cap(n.window)]; len(n.window) < windowNames*idSize {
		n.window = make([]byte, windowNames*idSize)
	}
	n.window = n.window[:(to-from)*idSize]
	_, err := n.in.ReadAt(n.window, n.at+from*idSize)
	return noEOF(err)
}

func (n *names) name(i int64) []byte { return n.window[i*idSize : (i+1)*idSize] }

func (n *names) inWindow(id ID) (at int64, ok bool) {
	low, high := int64(0), int64(len(n.window)/idSize)
	for low < high {
		middle := (low + high) / 2
		switch order := bytes.Compare(id[:], n.name(middle)); {
		case order == 0:
			return middle, true
		case order < 0:
			high = middle
		default:
			low = middle + 1
		}
	}
	return 0, false
}

// number reads a big-endian number of 4 or 8 bytes.
func number(in io.ReaderAt, at int64, size int) (uint64, error) {
	var b [8]byte
	if at < 0 {
		return 0, errDamaged
	}
	_, err := in.ReadAt(b[8-size:], at)
	return binary.BigEndian.Uint64(b[:]), noEOF(err)
}

// noEOF returns errDamaged if a file ends too early.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errDamaged
	}
	return err
}

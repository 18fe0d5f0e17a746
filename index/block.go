package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"math/bits"
	"slices"
)

// blockSize is how many chunk ids one block stands for: few enough that a
// changed chunk rewrites little (34 KB at 256 dimensions), enough that a scan
// reads few rows.
const blockSize = 1024

// blockHead is the size of what a block holds before the bits of its vectors:
// CRC-32C of all that follows, and which ids have a vector.
const blockHead = 4 + blockSize/8

// block holds the bits of the vectors of chunks id·1024 to id·1024+1023, of
// those that have one, in the order of ids. It depends on nothing but them, so
// it never has to be compacted.
type block struct {
	words   int // 64-bit words of one vector
	has     [blockSize / 64]uint64
	bits    []uint64
	changed bool // since it was read
}

// errBlocks means that what is made of the vectors does not agree with the
// chunks; it can be made anew from what is cached.
var errBlocks = errors.New("the vectors contradict the texts")

// find says whether slot has bits, and where they are or would be.
func (b *block) find(slot int) (at int, ok bool) {
	for _, w := range b.has[:slot/64] {
		at += bits.OnesCount64(w)
	}
	w, bit := b.has[slot/64], uint64(1)<<(slot%64)
	return b.words * (at + bits.OnesCount64(w&(bit-1))), w&bit != 0
}

// set gives slot its bits and says whether it had none before.
func (b *block) set(slot int, vector []uint64) bool {
	at, ok := b.find(slot)
	b.changed = true
	if ok {
		copy(b.bits[at:], vector)
		return false
	}
	b.bits = slices.Insert(b.bits, at, vector...)
	b.has[slot/64] |= 1 << (slot % 64)
	return true
}

// clear takes the bits of slot away and says whether there were any.
func (b *block) clear(slot int) bool {
	at, ok := b.find(slot)
	if ok {
		b.bits = slices.Delete(b.bits, at, at+b.words)
		b.has[slot/64] &^= 1 << (slot % 64)
		b.changed = true
	}
	return ok
}

// slots yields the slots that have bits.
func (b *block) slots() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, w := range b.has {
			for ; w != 0; w &= w - 1 {
				if !yield(64*i + bits.TrailingZeros64(w)) {
					return
				}
			}
		}
	}
}

// vectors yields each slot that has bits, with them.
func (b *block) vectors() iter.Seq2[int, []uint64] {
	return func(yield func(int, []uint64) bool) {
		rest := b.bits
		for slot := range b.slots() {
			if !yield(slot, rest[:b.words]) {
				return
			}
			rest = rest[b.words:]
		}
	}
}

func (b *block) encode() []byte {
	out := make([]byte, 4, blockHead+8*len(b.bits))
	for _, w := range b.has {
		out = binary.LittleEndian.AppendUint64(out, w)
	}
	for _, w := range b.bits {
		out = binary.LittleEndian.AppendUint64(out, w)
	}
	sealBlock(out)
	return out
}

// sealBlock writes the sum in front.
func sealBlock(raw []byte) { binary.LittleEndian.PutUint32(raw, blockSum(raw)) }

func blockSum(raw []byte) uint32 {
	return crc32.Checksum(raw[4:], crc32.MakeTable(crc32.Castagnoli))
}

// decode reads into b, whose words are set, what encode wrote.
func (b *block) decode(raw []byte) error {
	if len(raw) < blockHead || binary.LittleEndian.Uint32(raw) != blockSum(raw) {
		return fmt.Errorf("%w: a block of %d bytes is not as it was written", errBlocks, len(raw))
	}
	n := 0
	for i := range b.has {
		b.has[i] = binary.LittleEndian.Uint64(raw[4+8*i:])
		n += bits.OnesCount64(b.has[i])
	}
	raw = raw[blockHead:]
	if len(raw) != 8*n*b.words {
		return fmt.Errorf("%w: a block of %d vectors has %d bytes", errBlocks, n, len(raw))
	}
	b.bits = slices.Grow(b.bits[:0], n*b.words)[:n*b.words]
	for i := range b.bits {
		b.bits[i], raw = binary.LittleEndian.Uint64(raw), raw[8:]
	}
	return nil
}

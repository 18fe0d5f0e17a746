package quantized

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"math/bits"
	"slices"
)

// BlockSize counts the chunk ids of one block: few enough that a changed
// chunk rewrites little (34 KB at 256 dimensions), and enough that a scan reads
// few rows.
const BlockSize = 1024

// blockHead counts the bytes before the bits of the vectors: a CRC-32C
// of everything that follows, and a bitmap of the ids with a vector.
const blockHead = 4 + BlockSize/8

// Block holds the bits of the vectors of the chunks id·1024 to id·1024+1023, in
// the order of ids, for those chunks that have a vector. Its bytes depend only
// on the vectors, so it never needs compacting.
type Block struct {
	Changed bool // since it was read
	width   int  // bytes of one vector
	raw     []byte
}

// ErrBlock means that the bytes of a block are not as they were written.
var ErrBlock = errors.New("not as it was written")

// NewBlock returns an empty block.
func NewBlock(s Signs) *Block { return &Block{width: s.Width(), raw: make([]byte, blockHead)} }

// ReadBlock reads the result of Encode. The block keeps using raw.
func ReadBlock(s Signs, raw []byte) (*Block, error) {
	b := &Block{width: s.Width(), raw: raw}
	if len(raw) < blockHead || binary.LittleEndian.Uint32(raw) != b.sum() {
		return nil, fmt.Errorf("a block of %d bytes is %w", len(raw), ErrBlock)
	}
	if n := b.before(BlockSize); len(raw) != blockHead+n*b.width {
		return nil, fmt.Errorf("a block of %d vectors with %d bytes is %w", n, len(raw), ErrBlock)
	}
	return b, nil
}

// Encode returns the block in its stored form.
func (b *Block) Encode() []byte {
	binary.LittleEndian.PutUint32(b.raw, b.sum())
	return b.raw
}

func (b *Block) sum() uint32 {
	return crc32.Checksum(b.raw[4:], crc32.MakeTable(crc32.Castagnoli))
}

// Len returns the number of vectors in the block.
func (b *Block) Len() int { return (len(b.raw) - blockHead) / b.width }

// mark returns the byte and the bit that record whether slot has a vector.
func (b *Block) mark(slot int) (at *byte, bit byte) { return &b.raw[4+slot/8], 1 << (slot % 8) }

// before counts the vectors of the slots before slot.
func (b *Block) before(slot int) (n int) {
	for _, has := range b.raw[4 : 4+slot/8] {
		n += bits.OnesCount8(has)
	}
	if slot < BlockSize {
		has, bit := b.mark(slot)
		n += bits.OnesCount8(*has & (bit - 1))
	}
	return n
}

// Has reports whether slot has a vector.
func (b *Block) Has(slot int) bool {
	has, bit := b.mark(slot)
	return *has&bit != 0
}

// Set sets the bits of slot and reports whether it had none before.
func (b *Block) Set(slot int, vector []byte) bool {
	at := blockHead + b.width*b.before(slot)
	b.Changed = true
	if b.Has(slot) {
		copy(b.raw[at:], vector)
		return false
	}
	b.raw = slices.Insert(b.raw, at, vector...)
	has, bit := b.mark(slot)
	*has |= bit
	return true
}

// Clear removes the bits of slot and reports whether it had any.
func (b *Block) Clear(slot int) bool {
	if !b.Has(slot) {
		return false
	}
	at := blockHead + b.width*b.before(slot)
	b.raw = slices.Delete(b.raw, at, at+b.width)
	has, bit := b.mark(slot)
	*has &^= bit
	b.Changed = true
	return true
}

// All yields each slot that has a vector, with its bits.
func (b *Block) All() iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		rest := b.raw[blockHead:]
		for i, has := range b.raw[4:blockHead] {
			for ; has != 0; has &= has - 1 {
				if !yield(8*i+bits.TrailingZeros8(has), rest[:b.width]) {
					return
				}
				rest = rest[b.width:]
			}
		}
	}
}

package stems

import (
	"encoding/binary"
	"fmt"
)

// Bucket records how many texts hold each of the stems with the same leading
// bits: stem and number, 32-bit little-endian each, sorted by stem, without
// zeros. With a table row for each stem, a full index took a sixth longer.
type Bucket []byte

const (
	bucketBits = 10
	recordSize = 8
)

// BucketOf returns the bucket of a stem.
func BucketOf(hash uint32) uint32 { return hash >> (32 - bucketBits) }

// Check returns an error if a stored bucket has an invalid size.
func (b Bucket) Check() error {
	if len(b)%recordSize != 0 {
		return fmt.Errorf("counts of stems have %d bytes", len(b))
	}
	return nil
}

// Count returns how many texts hold a stem.
func (b Bucket) Count(hash uint32) int {
	at, ok := search(b, recordSize, hash)
	if !ok {
		return 0
	}
	return int(b.number(at))
}

func (b Bucket) number(at int) uint32 { return binary.LittleEndian.Uint32(b[at+4:]) }

// Plus returns the bucket with the changes of some stems, which must be sorted.
func (b Bucket) Plus(hashes []uint32, changes map[uint32]int64) Bucket {
	out := make(Bucket, 0, len(b)+len(hashes)*recordSize)
	for _, h := range hashes {
		at, ok := search(b, recordSize, h)
		out = append(out, b[:at]...)
		n := changes[h]
		if b = b[at:]; ok {
			n += int64(b.number(0))
			b = b[recordSize:]
		}
		if n > 0 {
			out = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(out, h), uint32(n))
		}
	}
	return append(out, b...)
}

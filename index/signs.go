package index

import "math"

// signs makes of vectors of one dimension strings of bits, one for each axis
// of a turned space: which side of the axis the vector lies on. The share of
// bits in which two vectors differ is about the angle between them (Charikar,
// "Similarity estimation techniques from rounding algorithms", 2002).
//
// The turn is twice a flip of some signs and a Hadamard transform; once would
// give the same bits twice when the space is padded. Without a turn the numbers
// of a hashed vector that are almost 0 give away their bits: of the ten nearest
// of 100,000 real texts 0.83 were among the 400 first by bits, and 0.998 with
// it.
type signs struct {
	flips [2][]uint64
}

// words is how many 64-bit words the bits of one vector are.
func (s signs) words() int { return len(s.flips[0]) }

func newSigns(dimensions int) signs {
	size := 256 // fewer would tell too little
	for size < dimensions {
		size *= 2
	}
	var s signs
	x := uint64(1) // of SplitMix64; always the same, as the bits are stored
	for round := range s.flips {
		s.flips[round] = make([]uint64, size/64)
		for i := range s.flips[round] {
			x += 0x9e3779b97f4a7c15
			z := (x ^ x>>30) * 0xbf58476d1ce4e5b9
			z = (z ^ z>>27) * 0x94d049bb133111eb
			s.flips[round][i] = z ^ z>>31
		}
	}
	return s
}

// of returns the bits of a vector.
func (s signs) of(v []float32) []uint64 { return bitsOf(s.turn(v)) }

// turn is v along the axes of the turned space, all of them times the same.
func (s signs) turn(v []float32) []float32 {
	turned := make([]float32, 64*s.words())
	copy(turned, v)
	for _, flips := range s.flips {
		for i, x := range turned {
			sign := uint32(flips[i/64]>>(i%64)) << 31
			turned[i] = math.Float32frombits(math.Float32bits(x) ^ sign)
		}
		hadamard(turned)
	}
	return turned
}

func bitsOf(turned []float32) []uint64 {
	bits := make([]uint64, len(turned)/64)
	for i, x := range turned {
		if x > 0 {
			bits[i/64] |= 1 << (i % 64)
		}
	}
	return bits
}

// ofPacked returns the bits of a packed vector; ok is false for what is none.
func (s signs) ofPacked(packed []byte) (bits []uint64, ok bool) {
	v, ok := unpackVector(packed)
	if !ok {
		return nil, false
	}
	return s.of(v), true
}

// hadamard is the fast Walsh-Hadamard transform, in place; len(v) is a power
// of two.
func hadamard(v []float32) {
	for half := 1; half < len(v); half *= 2 {
		for at := 0; at < len(v); at += 2 * half {
			a, b := v[at:at+half], v[at+half:at+2*half]
			for i, x := range a {
				a[i], b[i] = x+b[i], x-b[i]
			}
		}
	}
}

// Package quantized stores vectors in fewer bits: as one byte per number, by
// which texts are compared, and as one bit per number, by which the few
// candidates for a comparison are found. It is pure.
//
// Finding candidates by bits pays. Milliseconds for the ten nearest of
// clustered vectors in 256 dimensions, and the share of the true ten that is
// found:
//
//	                               10,000        100,000      1,000,000
//	bits, then the best by bytes   1.2  0.97     6  0.985     75  0.86
//	all the bytes                  3.8  0.99    44  0.99     770  0.96
package quantized

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// scaleSize counts the bytes of the scale in front of a packed vector.
const scaleSize = 4

// maxDimensions exceeds any model's dimensions.
const maxDimensions = 1 << 14

// Size returns the length of a packed vector in bytes.
func Size(dimensions int) int { return scaleSize + dimensions }

// Dimensions returns the dimensions of a packed vector. It is the inverse of
// Size.
func Dimensions(packed []byte) int { return len(packed) - scaleSize }

// Pack encodes a unit vector as one little-endian float32, the scale, and one
// int8 per dimension. A number is the scale times the int8. It is off by at
// most half the scale, and a cosine in 256 dimensions by less than 0.005.
func Pack(v []float32) []byte {
	top := float32(0)
	for _, x := range v {
		top = max(top, x, -x)
	}
	scale := top / 127
	b := binary.LittleEndian.AppendUint32(make([]byte, 0, Size(len(v))), math.Float32bits(scale))
	for _, x := range v {
		n := int8(0)
		if scale > 0 {
			n = int8(math.RoundToEven(float64(x / scale)))
		}
		b = append(b, byte(n))
	}
	return b
}

// Unpack reverses Pack; ok is false for bytes that Pack did not make.
func Unpack(b []byte) (v []float32, ok bool) {
	if len(b) <= scaleSize {
		return nil, false
	}
	scale := math.Float32frombits(binary.LittleEndian.Uint32(b))
	if !(scale > 0 && scale <= 1) {
		return nil, false
	}
	v = make([]float32, Dimensions(b))
	for i := range v {
		v[i] = scale * float32(int8(b[scaleSize+i]))
	}
	return v, true
}

// Cosine returns the cosine of a unit vector and a packed vector of the same
// dimension.
func Cosine(q []float32, packed []byte) float64 {
	scale := math.Float32frombits(binary.LittleEndian.Uint32(packed))
	sum := float32(0)
	numbers := packed[scaleSize:][:len(q)]
	for i, x := range q {
		sum += x * float32(int8(numbers[i]))
	}
	return float64(scale * sum)
}

// ErrVector means that an embedder returned an invalid vector.
var ErrVector = errors.New("a wrong vector")

// Check returns an error if a vector has other dimensions or is not a unit
// vector. A nil vector is valid. Vectors of different dimensions are never
// mixed.
func Check(v []float32, dimensions int) error {
	if v == nil {
		return nil
	}
	if len(v) != dimensions || dimensions > maxDimensions {
		return fmt.Errorf("%w: %d dimensions instead of %d", ErrVector, len(v), dimensions)
	}
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if !(math.Abs(sum-1) < 0.02) { // also true for NaN
		return fmt.Errorf("%w: its length is %.3g instead of 1", ErrVector, math.Sqrt(sum))
	}
	return nil
}

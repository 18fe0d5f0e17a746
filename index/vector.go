package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// scaleSize is what a packed vector holds before its numbers.
const scaleSize = 4

// maxDimensions is far more than any model has.
const maxDimensions = 1 << 14

// packVector stores a unit vector as one float32, little-endian, and one
// int8 a dimension; a number is that float times the int8. A number is off by
// at most half the scale, a cosine of 256 dimensions by less than 0.005.
func packVector(v []float32) []byte {
	top := float32(0)
	for _, x := range v {
		top = max(top, x, -x)
	}
	scale := top / 127
	b := make([]byte, scaleSize, scaleSize+len(v))
	binary.LittleEndian.PutUint32(b, math.Float32bits(scale))
	for _, x := range v {
		n := int8(0)
		if scale > 0 {
			n = int8(math.RoundToEven(float64(x / scale)))
		}
		b = append(b, byte(n))
	}
	return b
}

// unpackVector is the reverse; ok is false for what packVector did not make.
func unpackVector(b []byte) (v []float32, ok bool) {
	if len(b) <= scaleSize {
		return nil, false
	}
	scale := math.Float32frombits(binary.LittleEndian.Uint32(b))
	if !(scale > 0 && scale <= 1) {
		return nil, false
	}
	v = make([]float32, len(b)-scaleSize)
	for i := range v {
		v[i] = scale * float32(int8(b[scaleSize+i]))
	}
	return v, true
}

// cosine is that of a query's unit vector and a packed one of the same
// dimension.
func cosine(q []float32, packed []byte) float64 {
	scale := math.Float32frombits(binary.LittleEndian.Uint32(packed))
	sum := float32(0)
	numbers := packed[scaleSize:][:len(q)]
	for i, x := range q {
		sum += x * float32(int8(numbers[i]))
	}
	return float64(scale * sum)
}

var errVector = errors.New("a wrong vector")

// checkVector says what is wrong with a vector of an embedder; a nil one is
// right. Vectors of different dimensions are never mixed.
func checkVector(v []float32, dimensions int) error {
	if v == nil {
		return nil
	}
	if len(v) != dimensions || dimensions > maxDimensions {
		return fmt.Errorf("%w: %d dimensions instead of %d", errVector, len(v), dimensions)
	}
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if !(math.Abs(sum-1) < 0.02) { // also not a number
		return fmt.Errorf("%w: its length is %.3g instead of 1", errVector, math.Sqrt(sum))
	}
	return nil
}

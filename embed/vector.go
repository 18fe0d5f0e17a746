package embed

import (
	"errors"
	"fmt"
	"math"
)

// What makes a vector useless: its direction is unknown.
var (
	errNotFinite = errors.New("a number that is not finite")
	errZero      = errors.New("a vector of length 0")
)

// unit returns v scaled to length 1. The explicit conversion keeps compilers
// from fusing multiplication and addition: the same numbers give the same
// vector on every machine.
func unit(v []float64) ([]float32, error) {
	sum := 0.0
	for _, x := range v {
		if math.IsNaN(x) || math.Abs(x) > math.MaxFloat32 {
			return nil, errNotFinite
		}
		sum += float64(x * x)
	}
	if sum == 0 {
		return nil, errZero
	}
	length := math.Sqrt(sum)
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(x / length)
	}
	return out, nil
}

// units checks what a provider answered, want vectors of dimensions numbers
// each (0: all as the first), and scales each to length 1.
func units(answer [][]float64, want, dimensions int) ([][]float32, error) {
	if len(answer) != want {
		return nil, fmt.Errorf("%d vectors for %d texts", len(answer), want)
	}
	out := make([][]float32, len(answer))
	for i, v := range answer {
		if dimensions == 0 {
			dimensions = len(v)
		}
		if len(v) != dimensions {
			return nil, fmt.Errorf("vector %d has %d dimensions, want %d; see dimensions in [embed]", i, len(v), dimensions)
		}
		var err error
		if out[i], err = unit(v); err != nil {
			return nil, fmt.Errorf("vector %d: %w", i, err)
		}
	}
	return out, nil
}

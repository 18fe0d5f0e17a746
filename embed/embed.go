// Package embed converts texts to vectors, so that texts with similar meaning
// are near each other even if they share no word.
//
// Every provider fulfils one contract (Embedder), which one test checks: as
// many vectors as texts, in order, of one dimension and of length 1, or an
// error, but never a wrong vector. A provider is optional: without one, search
// uses keywords.
package embed

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// Role is the role of a text: some models embed the two roles differently.
type Role int

// The roles of a text.
const (
	Document Role = iota // a chunk of memory
	Query                // a search query
)

// Embedder makes vectors from texts. Several goroutines may use it.
type Embedder interface {
	// Info describes the embedder; it is cheap.
	Info() Info
	// Embed returns a vector of length 1 for each text, in order, all of the
	// same dimension. A text that is empty, or has no word with a meaning for
	// the embedder, has a nil vector. More texts than Info().Batch are split.
	// Texts that are too long for the model are cut. The error names the
	// request, the provider and the setting that may help. It never contains a
	// key, and is ErrRefused if a text may be the cause. Embed returns the
	// vectors of all texts, or none.
	Embed(ctx context.Context, role Role, texts []string) ([][]float32, error)
}

// Info describes an embedder.
type Info struct {
	// Identity identifies everything that vectors depend on: provider, model,
	// version, endpoint, requested dimensions. Vectors with different
	// identities are never compared.
	Identity string
	// Dimensions of a vector; 0 if only the first answer shows it.
	Dimensions int
	// Inline means that vectors are computed in this process without waiting,
	// so Embed may run inside a write transaction.
	Inline bool
	// Spelling means that vectors are near because words are spelt alike, and
	// say nothing of meaning.
	Spelling bool
	// Slow is how long an answer may take, for an embedder with answers that
	// take seconds and cost money even if they are no longer needed. Such an
	// embedder is used only by a command with a user who waits for the result.
	// 0 for all others.
	Slow time.Duration
	// Batch is how many texts are embedded in one step or request. A caller
	// that stores vectors step by step should pass this many at a time, because
	// an error also loses the answers before it.
	Batch int
	// Weight is the share (0 to 1) of the vector in a hit's fused score.
	Weight float64
}

// Errors for vectors that are useless because their direction is unknown.
var (
	errNotFinite = errors.New("a number that is not finite")
	errZero      = errors.New("a vector of length 0")
)

// unit returns v scaled to length 1. The explicit conversion keeps compilers
// from fusing multiplication and addition, so that the same numbers give the
// same vector on every machine.
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

// units checks a provider's answer, which must have want vectors with
// dimensions numbers each (0 means as many as the first), and scales each to
// length 1.
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

// Package embed turns texts into vectors, so that texts that mean the same are
// near even where they share no word.
//
// Every provider keeps one contract (Embedder), held by one test: as many
// vectors as texts, in order, of one dimension and of length 1, or an error;
// never a wrong vector. No provider is needed: without one, search is by
// keywords.
package embed

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// Role says what a text is: some models embed the two differently.
type Role int

// The roles of a text.
const (
	Document Role = iota // a chunk of memory
	Query                // what is searched for
)

// Embedder makes vectors of texts. It may be used by several goroutines.
type Embedder interface {
	// Info says what the embedder is; it costs nothing.
	Info() Info
	// Embed returns a unit-length vector for each text, in order, all of the
	// same dimension. An empty text, or one without a word that says anything
	// to the embedder, has a nil vector. More texts than Info().Batch are
	// split. What is too long for the model is cut.
	// The error names the request, the provider and the setting that may help; it
	// never holds a key; it is ErrRefused when a text may be to blame. The
	// vectors of all texts come back, or none.
	Embed(ctx context.Context, role Role, texts []string) ([][]float32, error)
}

// Info describes an embedder.
type Info struct {
	// Identity names all that vectors depend on: provider, model, version,
	// endpoint, wanted dimension. Vectors of two identities are never
	// compared.
	Identity string
	// Dimensions of a vector; 0 when only the first answer tells.
	Dimensions int
	// Inline is true for what is computed in this process without waiting:
	// it may run inside a write transaction.
	Inline bool
	// Slow is how long an answer may take, of an embedder whose answers take
	// seconds and are paid for even when nobody waits for them: only a command
	// whose user waits for its result asks it. 0 for every other.
	Slow time.Duration
	// Batch is how many texts are embedded in one step or request. A caller
	// that stores vectors as they come gives Embed so many at a time: an error
	// takes along the answers before it.
	Batch int
	// Weight is the share (0 to 1) of the vector in a hit's fused score.
	Weight float64
}

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

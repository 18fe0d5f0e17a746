package embed

import (
	"context"
	"fmt"
	"math"
)

// static embeds with a Model2Vec model: a fixed vector for each piece of a
// vocabulary, and for a text the mean of its pieces'. Only the direction is
// kept, whether or not the model says "normalize".
type static struct {
	identity   string
	tokens     *tokenizer
	dimensions int
	matrix     []float32 // rows of dimensions numbers
	rows       []int     // row of each token; nil: its id
	weights    []float32 // of each token; nil: 1
}

// Info implements Embedder.
func (s *static) Info() Info {
	return Info{Identity: s.identity, Dimensions: s.dimensions, Inline: true, Batch: batchStatic, Weight: weightStatic}
}

// Embed implements Embedder; documents and queries are embedded alike.
func (s *static) Embed(ctx context.Context, _ Role, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	sum := make([]float64, s.dimensions)
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("embed %d texts with static: %w", len(texts), err)
		}
		if hasWord(text) {
			out[i] = s.vector(sum, text)
		}
	}
	return out, nil
}

// vector returns the unit vector of text, nil when no piece of it is known.
func (s *static) vector(sum []float64, text string) []float32 {
	clear(sum)
	for _, id := range s.tokens.ids(text) {
		row, weight := id, 1.0
		if s.rows != nil {
			row = s.rows[id]
		}
		if s.weights != nil {
			weight = float64(s.weights[id])
		}
		for i, x := range s.matrix[row*s.dimensions : (row+1)*s.dimensions] {
			sum[i] += float64(weight * float64(x)) // not to be fused: see unit
		}
	}
	v, err := unit(sum)
	if err != nil {
		return nil // no known piece, or pieces that cancel out
	}
	return v
}

// check makes sure that every token has a row and a weight.
func (s *static) check() error {
	rows := len(s.matrix) / s.dimensions
	if s.rows != nil {
		if len(s.rows) < s.tokens.size {
			return fmt.Errorf("%d tokens and a mapping of %d", s.tokens.size, len(s.rows))
		}
		for _, row := range s.rows {
			if row < 0 || row >= rows {
				return fmt.Errorf("the mapping names row %d of %d", row, rows)
			}
		}
	} else if rows < s.tokens.size {
		return fmt.Errorf("%d tokens and %d vectors", s.tokens.size, rows)
	}
	if s.weights != nil && len(s.weights) < s.tokens.size {
		return fmt.Errorf("%d tokens and %d weights", s.tokens.size, len(s.weights))
	}
	for _, w := range s.weights {
		if math.Abs(float64(w)) > 1e6 {
			return fmt.Errorf("a weight of %g", w)
		}
	}
	return nil
}

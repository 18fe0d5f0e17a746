package embed

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"os"
	"path/filepath"
)

// static embeds with a Model2Vec model: a fixed vector for each piece of a
// vocabulary, and for a text the mean of the vectors of its pieces. Only the
// direction is kept, regardless of the model's "normalize".
type static struct {
	identity   string
	tokens     *tokenizer
	dimensions int
	matrix     []float32 // rows of dimensions numbers
	rows       []int     // row of each token; nil means the token's id
	weights    []float32 // weight of each token; nil means 1
}

// Info implements Embedder.
func (s *static) Info() Info {
	return Info{Identity: s.identity, Dimensions: s.dimensions, Inline: true, Batch: batchStatic, Weight: weightStatic}
}

// Embed implements Embedder. It embeds documents and queries in the same way.
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

// vector returns the unit vector of text, or nil if no piece of it is known.
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
			sum[i] += float64(weight * float64(x)) // must not be fused: see unit
		}
	}
	v, err := unit(sum)
	if err != nil {
		return nil // no known piece, or pieces that cancel out
	}
	return v
}

// check checks that every token has a row and a weight.
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

// Limits of the files of a model: the largest published ones are far smaller.
const (
	maxConfig    = 1 << 20
	maxTokenizer = 128 << 20
	maxMatrix    = 2 << 30
)

// loadStatic reads a Model2Vec model from a folder: config.json, tokenizer.json
// and model.safetensors with the tensor "embeddings" and, in quantised models,
// "mapping" (the row of a token) and "weights" (its weight). The identity is a
// hash of all three files.
func loadStatic(dir string) (*static, error) {
	if dir == "" {
		return nil, errors.New("no folder: set dir in [embed] to that of a Model2Vec model")
	}
	sum := sha256.New()
	s := &static{}
	for _, f := range []struct {
		name  string
		most  int64
		parse func([]byte) error
	}{
		{"config.json", maxConfig, parseConfig},
		{"tokenizer.json", maxTokenizer, s.setTokenizer},
		{"model.safetensors", maxMatrix, s.setTensors},
	} {
		path := filepath.Join(dir, f.name)
		data, err := readModelFile(path, f.most, sum)
		if err != nil {
			return nil, fmt.Errorf("%w; see dir in [embed]", err)
		}
		if err := f.parse(data); err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
	}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("read the model in %s: %w", dir, err)
	}
	s.identity = fmt.Sprintf("static/1 %d %x", s.dimensions, sum.Sum(nil)[:16])
	return s, nil
}

func readModelFile(path string, most int64, sum hash.Hash) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return nil, fmt.Errorf("read %s: not a file of at most %d bytes", path, most)
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	fmt.Fprintf(sum, "%d ", len(data))
	sum.Write(data)
	return data, nil
}

// parseConfig checks that a folder has a model of this kind. The rest of the
// file describes how the model was made, and whether vectors are scaled to
// length 1, which they always are here.
func parseConfig(data []byte) error {
	var file struct {
		Type string `json:"model_type"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return err
	}
	if file.Type != "" && file.Type != "model2vec" {
		return fmt.Errorf("model_type %q: want model2vec", file.Type)
	}
	return nil
}

func (s *static) setTokenizer(data []byte) (err error) {
	s.tokens, err = parseTokenizer(data)
	return err
}

func (s *static) setTensors(data []byte) error {
	tensors, err := safetensors(data)
	if err != nil {
		return err
	}
	matrix, ok := tensors["embeddings"]
	if !ok || len(matrix.shape) != 2 {
		return errors.New("no matrix named embeddings of kind F32, F16 or I8")
	}
	s.dimensions = matrix.shape[1]
	if s.matrix, err = matrix.floats(); err != nil {
		return fmt.Errorf("embeddings: %w", err)
	}
	if mapping, ok := tensors["mapping"]; ok {
		if s.rows, err = mapping.ints(); err != nil {
			return fmt.Errorf("mapping: %w", err)
		}
	}
	if weights, ok := tensors["weights"]; ok {
		if s.weights, err = weights.floats(); err != nil {
			return fmt.Errorf("weights: %w", err)
		}
	}
	return nil
}

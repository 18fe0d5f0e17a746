package index

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"sync"

	"agentflow/embed"
	"agentflow/internal/words"
)

// wordEmbedder hashes words: texts that share some are near.
type wordEmbedder struct {
	info embed.Info

	mu    sync.Mutex
	asked []string                              // all texts it was given
	fail  func(role embed.Role, n int) error    // asked before each call, n calls before; may be nil
	taboo string                                // a text that holds it is refused; "" refuses none
	wrong func(vectors [][]float32) [][]float32 // what a lying embedder makes of its answer; may be nil
	calls int
}

func inline(dimensions int) *wordEmbedder {
	return &wordEmbedder{info: embed.Info{Identity: fmt.Sprintf("words/%d", dimensions), Dimensions: dimensions, Inline: true, Batch: 64}}
}

func remote(dimensions int) *wordEmbedder {
	return &wordEmbedder{info: embed.Info{Identity: fmt.Sprintf("remote/%d", dimensions), Batch: 16}}
}

func (e *wordEmbedder) size() int {
	var n int
	_, _ = fmt.Sscanf(e.info.Identity[strings.IndexByte(e.info.Identity, '/')+1:], "%d", &n)
	return n
}

func (e *wordEmbedder) Info() embed.Info { return e.info }

func (e *wordEmbedder) Embed(ctx context.Context, role embed.Role, texts []string) ([][]float32, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls++
	if e.fail != nil {
		if err := e.fail(role, e.calls-1); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if e.taboo != "" && slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(t, e.taboo) }) {
		return nil, fmt.Errorf("embed with %s: contents filtered: %w", e.info.Identity, embed.ErrRefused)
	}
	e.asked = append(e.asked, texts...)
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i] = wordVector(t, e.size())
	}
	if e.wrong != nil {
		out = e.wrong(out)
	}
	return out, nil
}

func wordVector(text string, size int) []float32 {
	v := make([]float32, size)
	for _, tok := range words.Tokenize(text) {
		h := fnv.New64a()
		_, _ = h.Write([]byte(tok.Text))
		x := h.Sum64()
		for range 4 { // a few places, so that two words seldom fall together
			x = x*6364136223846793005 + 1442695040888963407
			v[x>>33%uint64(size)] += float32(int(x>>20&1)*2 - 1)
		}
	}
	return unit(v)
}

func unit(v []float32) []float32 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return nil
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

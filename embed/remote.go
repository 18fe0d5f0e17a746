package embed

import (
	"context"
	"fmt"
	"hash/fnv"
	"sync/atomic"
)

// remote embeds by asking a server; what differs between protocols is how a
// request and an answer are written.
type remote struct {
	*endpoint
	provider string
	model    string
	wanted   int // dimensions; 0: the model's own
	batch    int
	prompts  prompts
	protocol protocol

	found atomic.Int64 // dimensions of the first answer, which all later ones must have
}

// protocol writes requests and reads answers of one kind of server.
type protocol interface {
	// request is the JSON object that asks for the vectors of texts.
	request(model string, dimensions int, texts []string) any
	// vectors reads those of want texts, in order, from an answer.
	vectors(e *endpoint, answer []byte, want int) ([][]float64, error)
}

// Info implements Embedder. The identity holds the prompts too: a text put
// before others moves their vectors.
func (r *remote) Info() Info {
	dimensions := r.wanted
	if dimensions == 0 {
		dimensions = int(r.found.Load())
	}
	sum := fnv.New32a()
	fmt.Fprintf(sum, "%q %q", r.prompts.document, r.prompts.query)
	return Info{
		Identity:   fmt.Sprintf("%s/1 %q %d %s %08x", r.provider, r.model, r.wanted, r.base, sum.Sum32()),
		Dimensions: dimensions, Batch: r.batch, Weight: weightRemote,
	}
}

// Embed implements Embedder: one request a batch, one after the other.
func (r *remote) Embed(ctx context.Context, role Role, texts []string) ([][]float32, error) {
	out, err := inBatches(texts, r.batch, func(part []string) ([][]float32, error) {
		return r.ask(ctx, role, part)
	})
	if err != nil {
		return nil, fmt.Errorf("embed %d texts with %s %s at %s: %w", len(texts), r.provider, r.model, r.base, err)
	}
	return out, nil
}

func (r *remote) ask(ctx context.Context, role Role, texts []string) ([][]float32, error) {
	answer, err := r.post(ctx, r.protocol.request(r.model, r.wanted, r.prompts.before(role, texts)))
	if err != nil {
		return nil, err
	}
	vectors, err := r.protocol.vectors(r.endpoint, answer, len(texts))
	if err != nil {
		return nil, err
	}
	dimensions := r.wanted
	if dimensions == 0 {
		dimensions = int(r.found.Load())
	}
	out, err := units(vectors, len(texts), dimensions)
	if err != nil {
		return nil, err
	}
	r.found.CompareAndSwap(0, int64(len(out[0])))
	return out, nil
}

package index

import (
	"context"
	"errors"

	"agentflow/embed"
)

// embedTaken asks for the vectors of texts, of which the embedder may refuse
// some: a filter of contents does. Those have none, and hold up no other.
// refused says why; it is an error when the embedder refuses everything, as it
// does with a wrong setting.
func embedTaken(ctx context.Context, e embed.Embedder, texts []string, dimensions int) (vectors [][]float32, refused, err error) {
	a := asking{e: e, dimensions: dimensions}
	if vectors, err = a.ask(ctx, texts); err != nil {
		return nil, nil, err
	}
	if a.refused != nil && !a.taken {
		if _, err := embedAll(ctx, e, embed.Document, []string{"a text"}, dimensions); err != nil {
			return nil, nil, err
		}
	}
	return vectors, a.refused, nil
}

// asking finds the texts that are refused by asking for halves.
type asking struct {
	e          embed.Embedder
	dimensions int
	taken      bool  // something was
	refused    error // why the first was that was alone
}

func (a *asking) ask(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := embedAll(ctx, a.e, embed.Document, texts, a.dimensions)
	switch {
	case err == nil:
		a.taken = true
		return vectors, nil
	case !errors.Is(err, embed.ErrRefused):
		return nil, err
	case len(texts) == 1:
		if a.refused == nil {
			a.refused = err
		}
		return [][]float32{nil}, nil
	}
	first, err := a.ask(ctx, texts[:len(texts)/2])
	if err != nil {
		return nil, err
	}
	rest, err := a.ask(ctx, texts[len(texts)/2:])
	return append(first, rest...), err
}

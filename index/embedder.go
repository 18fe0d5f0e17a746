package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"agentflow/embed"
	"agentflow/index/quantized"
	"agentflow/index/store"
	"agentflow/internal/words"
)

// embedderKey identifies everything that stored vectors depend on. It returns
// "" without an embedder.
func embedderKey(o Options) string {
	if o.Embedder == nil {
		return ""
	}
	return store.CacheLayout + o.Embedder.Info().Identity
}

func embedderName(key string) string {
	_, name, _ := strings.Cut(key, " ")
	return name
}

// errEmbedder reports an invalid answer from an embedder.
var errEmbedder = errors.New("asking the embedder")

// otherModel returns a hint if the dimensions of v differ from those of the
// index. dimensions is 0 if the index has no vectors.
func otherModel(dimensions int, v []float32) string {
	if dimensions == 0 || len(v) == dimensions {
		return ""
	}
	return "; if its model has changed, delete the index: it is made again"
}

// embedAll asks e for the vectors of texts and checks each. dimensions is the
// number of dimensions of the existing vectors, or 0 if there are none.
func embedAll(ctx context.Context, e embed.Embedder, role embed.Role, texts []string, dimensions int) ([][]float32, error) {
	info := e.Info()
	vectors, err := e.Embed(ctx, role, texts)
	if err != nil {
		return nil, err // the error names the embedder and the remedy
	}
	if len(vectors) != len(texts) {
		return nil, fmt.Errorf("%w %s: %d vectors for %d texts", errEmbedder, info.Identity, len(vectors), len(texts))
	}
	want := cmp.Or(dimensions, info.Dimensions)
	for _, v := range vectors {
		want = cmp.Or(want, len(v))
		if err := quantized.Check(v, want); err != nil {
			return nil, fmt.Errorf("%w %s: %w%s", errEmbedder, info.Identity, err, otherModel(dimensions, v))
		}
	}
	return vectors, nil
}

// embedderRest pauses an embedder for queries after it failed for a
// query.
const embedderRest = 30 * time.Second

// embedderPause records until when queries do not use the embedder, and why.
type embedderPause struct {
	until time.Time
	why   string
}

// queryVector embeds the text of a query, within Options.EmbedTimeout and half
// of the time that is left. If that fails, the vector is nil and the string
// explains to the user why the search uses keywords only. Both results are
// empty without an embedder, and for a text without words.
func (d *DB) queryVector(ctx context.Context, text string) ([]float32, string) {
	if d.o.Embedder == nil {
		return nil, ""
	}
	if r := d.resting.Load(); r != nil && d.now().Before(r.until) {
		return nil, r.why
	}
	wait := d.o.EmbedTimeout
	if deadline, ok := ctx.Deadline(); ok {
		wait = min(wait, time.Until(deadline)/2)
	}
	short, cancel := context.WithTimeoutCause(ctx, wait, fmt.Errorf("no answer within %v", wait.Round(time.Second/10)))
	defer cancel()
	vectors, err := embedAll(short, d.o.Embedder, embed.Query, []string{words.FirstRunes(text, embedRunes)}, 0)
	if err == nil {
		return vectors[0], ""
	}
	if wait < d.o.EmbedTimeout && short.Err() != nil {
		return nil, "" // not a failure: the caller left too little time
	}
	why := fmt.Sprintf("searched by keywords only: %v", err)
	if ctx.Err() == nil { // otherwise the caller ended the request, not the embedder
		d.resting.Store(&embedderPause{d.now().Add(embedderRest), why})
	}
	return nil, why
}

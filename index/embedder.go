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

// embedderKey names all that stored vectors depend on; "" when there is no
// embedder.
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

// errEmbedder is an embedder whose answer is not what it should be.
var errEmbedder = errors.New("asking the embedder")

// otherModel is the hint for a vector of other dimensions than those of the
// index, if there are any.
func otherModel(dimensions int, v []float32) string {
	if dimensions == 0 || len(v) == dimensions {
		return ""
	}
	return "; when its model is another one now, delete the index: it is made anew"
}

// embedAll asks e for the vectors of texts and checks each. dimensions is that
// of the vectors there are, 0 when there are none.
func embedAll(ctx context.Context, e embed.Embedder, role embed.Role, texts []string, dimensions int) ([][]float32, error) {
	info := e.Info()
	vectors, err := e.Embed(ctx, role, texts)
	if err != nil {
		return nil, err // which names the embedder, and what to do
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

// embedderRest is how long an embedder that failed for a query is not asked
// for another.
const embedderRest = 30 * time.Second

// rest says until when the embedder of queries is not asked, and why.
type rest struct {
	until time.Time
	why   string
}

// queryVector embeds what is searched for, within Options.EmbedTimeout and
// half of the time that is left. When that fails it is nil and the string says
// what is missing, for the user to see; the search goes on by keywords. Both are
// empty without an embedder, and for a text without a word.
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
		return nil, "" // the caller has no time for it: that is no failure
	}
	why := fmt.Sprintf("searched by keywords only: %v", err)
	if ctx.Err() == nil { // else the embedder is not to blame
		d.resting.Store(&rest{d.now().Add(embedderRest), why})
	}
	return nil, why
}

package index

import (
	"context"
	"fmt"
	"sync"
	"time"

	"agentflow/embed"
)

// embedderRest is how long an embedder that failed for a query is not asked
// for another.
const embedderRest = 30 * time.Second

// queryEmbedder remembers how the last query's embedding went.
type queryEmbedder struct {
	mu    sync.Mutex
	until time.Time // when to ask again
	why   string
}

// queryVector embeds what is searched for, within Options.EmbedTimeout. When
// that fails the vector is nil and the string says what is missing, for the
// user to see; the search goes on by keywords. Both are empty without an
// embedder, and for a text without a word.
func (d *DB) queryVector(ctx context.Context, text string) ([]float32, string) {
	if d.o.Embedder == nil {
		return nil, ""
	}
	if why := d.asked.resting(d.now()); why != "" {
		return nil, why
	}
	short, cancel := context.WithTimeout(ctx, d.o.EmbedTimeout)
	defer cancel()
	vectors, err := embedAll(short, d.o.Embedder, embed.Query, []string{firstRunes(text, embedRunes)}, 0)
	if err == nil {
		return vectors[0], ""
	}
	why := fmt.Sprintf("searched by keywords only: %v", err)
	if ctx.Err() == nil { // else the embedder is not to blame
		d.asked.rest(d.now().Add(embedderRest), why)
	}
	return nil, why
}

func (q *queryEmbedder) resting(now time.Time) string {
	q.mu.Lock()
	defer q.mu.Unlock()
	if now.Before(q.until) {
		return q.why
	}
	return ""
}

func (q *queryEmbedder) rest(until time.Time, why string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.until, q.why = until, why
}

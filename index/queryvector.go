package index

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"time"

	"agentflow/embed"
	"agentflow/index/rank"
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

// queryVector embeds what is searched for, within Options.EmbedTimeout and
// half of the time that is left. When that fails, and for a vector of another
// dimension than those of the index, it is nil and the string says what is
// missing, for the user to see; the search goes on by keywords. Both are empty
// without an embedder, and for a text without a word.
func (d *DB) queryVector(ctx context.Context, text string) ([]float32, string) {
	if d.o.Embedder == nil {
		return nil, ""
	}
	if why := d.asked.resting(d.now()); why != "" {
		return nil, why
	}
	wait := d.o.EmbedTimeout
	if deadline, ok := ctx.Deadline(); ok {
		wait = min(wait, time.Until(deadline)/2)
	}
	short, cancel := context.WithTimeoutCause(ctx, wait, fmt.Errorf("no answer within %v", wait.Round(time.Second/10)))
	defer cancel()
	vectors, err := embedAll(short, d.o.Embedder, embed.Query, []string{rank.FirstRunes(text, embedRunes)}, d.dimensions(ctx))
	if err == nil {
		return vectors[0], ""
	}
	why := fmt.Sprintf("searched by keywords only: %v", err)
	if ctx.Err() == nil { // else the embedder is not to blame
		d.asked.rest(d.now().Add(embedderRest), why)
	}
	return nil, why
}

// dimensions is that of the vectors a query is compared with; 0 when there is
// none, and when it cannot be read, which the search itself deals with.
func (d *DB) dimensions(ctx context.Context) (n int) {
	if d.o.Embedder.Info().Inline {
		return 0 // its identity holds them
	}
	err := d.withFilled(ctx, func(h *handle) error {
		if !h.current() {
			return nil
		}
		return read(ctx, h.pool, func(c *sql.Conn) error {
			m, err := readVectorMeta(ctx, c)
			if err == nil && m.embedder == embedderKey(d.o) {
				n = m.dimensions
			}
			return err
		})
	})
	if err != nil {
		return 0
	}
	return n
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

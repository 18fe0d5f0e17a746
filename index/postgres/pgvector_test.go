package postgres

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"agentflow/index/quantized"
	"agentflow/index/store"
	"agentflow/internal/testing/pgtest"
	"agentflow/memory"
	"agentflow/memory/chunk"
	"agentflow/memory/retrieval"

	"github.com/jackc/pgx/v5"
)

// withPgvector returns a database in which every index has, and uses, an index
// of its vectors from the first vector on. It skips the test on a server
// without pgvector: see docs/contributing.md.
func withPgvector(t *testing.T) (dsn string) {
	t.Helper()
	dsn = pgtest.Database(t)
	c := connected(t, dsn)
	var has bool
	must(t, c.QueryRow(t.Context(), `SELECT EXISTS(SELECT 1 FROM pg_available_extensions WHERE name='vector')`).Scan(&has))
	if !has {
		t.Skip("the server has no pgvector")
	}
	name := pgx.Identifier{c.Config().Database}.Sanitize()
	_, err := c.Exec(t.Context(), `ALTER DATABASE `+name+` SET agentflow.vectors_indexed_from=1; ALTER DATABASE `+name+` SET enable_seqscan=off`)
	must(t, err)
	return dsn
}

func opened(t *testing.T, dsn string) *Store {
	t.Helper()
	s, err := Open(t.Context(), store.Options{DSN: dsn, Repository: "one", Identity: "i", Embedder: store.CacheLayout + "e", Notice: func(string) {}})
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s.(*Store)
}

func handled(t *testing.T, s *Store, f func(ctx context.Context, h store.Handle) error) {
	t.Helper()
	must(t, s.With(t.Context(), func(h store.Handle) error { return f(t.Context(), h) }))
}

const dimensions = 300 // not what bits are padded to

func randomVector(rng *rand.Rand) []float32 {
	v, sum := make([]float32, dimensions), 0.0
	for i := range v {
		v[i] = float32(rng.NormFloat64())
		sum += float64(v[i] * v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// added adds a file of n chunks; every third chunk is of the type decision.
func added(u store.Update, rng *rand.Rand, name string, n int) {
	id, _ := u.Begin(0, store.File{Name: name, Hash: []byte{}})
	for i := range n {
		r := store.Row{Chunk: chunk.Chunk{Kind: "run", Heading: name, Text: "text", Date: time.Unix(int64(i), 0), EntryID: fmt.Sprint(name, i)}, Key: rng.Int64(), Terms: []byte{}, At: -1}
		if i%3 == 0 {
			r.Types = []memory.FactType{"decision"}
		}
		r.Embedding = store.Embedding{Hash: fmt.Append(nil, name, i), Vector: quantized.Pack(randomVector(rng)), Made: true}
		u.Add(id, &r)
	}
}

// agree compares the results of the vector index with a scan of all vectors.
func agree(t *testing.T, s *Store, rng *rand.Rand, when string) {
	t.Helper()
	handled(t, s, func(ctx context.Context, h store.Handle) error {
		return h.View(ctx, func(w store.View) error {
			v := w.(*view)
			for name, f := range map[string]store.Filter{"all": {}, "a third": {Filter: retrieval.Filter{Types: []memory.FactType{"decision"}}}} {
				q := randomVector(rng)
				var all []int64
				for id := range v.AllPassing(f) {
					all = append(all, id)
				}
				want := store.FirstOf(v.Compare(q, all, f), 50)
				got, ok := v.nearestByIndex(q, 50, f)
				if !ok || !slices.Equal(got, want) {
					t.Errorf("%s, %s: the index gives %d (%v), there are %d: %v, %v", when, name, len(got), ok, len(want), got, want)
				}
			}
			few := store.Filter{Filter: retrieval.Filter{Types: []memory.FactType{"none"}}}
			if got, ok := v.nearestByIndex(randomVector(rng), 50, few); ok {
				t.Errorf("%s: the index says that %v are all that pass a filter", when, got)
			}
			return v.err
		})
	})
}

// TestVectorsAreIndexed checks that the end of a sync creates an index of
// vectors, that it is kept up to date and created again with a new generation,
// and that it exists after a purge.
func TestVectorsAreIndexed(t *testing.T) {
	s, rng := opened(t, withPgvector(t)), rand.New(rand.NewPCG(1, 2))
	handled(t, s, func(ctx context.Context, h store.Handle) error {
		err := h.Update(ctx, func(u store.Update) error {
			added(u, rng, "first", 1500)
			return u.Finish(store.Documents, nil)
		})
		h.Tidy(ctx)
		return err
	})
	agree(t, s, rng, "at first")
	handled(t, s, func(ctx context.Context, h store.Handle) error {
		return h.Update(ctx, func(u store.Update) error {
			added(u, rng, "second", 300)
			return u.Finish(store.Documents, nil)
		})
	})
	agree(t, s, rng, "with more")
	must(t, s.Purge(t.Context(), []string{"first3", "second7"}))
	agree(t, s, rng, "after a purge")
	handled(t, s, func(ctx context.Context, h store.Handle) error {
		_, err := h.Anew(ctx, true, func(u store.Update) error {
			added(u, rng, "third", 700)
			return u.Finish(store.Documents, nil)
		})
		return err
	})
	agree(t, s, rng, "made anew")
}

// TestIndexOutgrown checks that an index with too few lists is rebuilt.
func TestIndexOutgrown(t *testing.T) {
	c := connected(t, withPgvector(t))
	must(t, migrate(t.Context(), c))
	_, err := c.Exec(t.Context(), `SET search_path=agentflow; CREATE EXTENSION vector SCHEMA public; CREATE TABLE vectors_7(v public.halfvec(8)); SET client_min_messages=error;
		CREATE INDEX vectors_7_near ON vectors_7 USING ivfflat(v public.halfvec_cosine_ops) WITH (lists=10)`)
	must(t, err)
	for lists, want := range map[int64]bool{5: false, 10: false, 39: false, 40: true} {
		must(t, pgx.BeginFunc(t.Context(), c, func(tx pgx.Tx) error {
			worth, err := worthAnIndex(t.Context(), tx, &meta{id: 7, vectors: store.Vectors{Dimensions: 8, Number: lists * perList, Cached: lists * perList}})
			if worth != want {
				t.Errorf("for %d lists: %v", lists, worth)
			}
			return err
		}))
	}
}

// TestExtensionRefused checks that a user who may not install pgvector gets an
// index without it.
func TestExtensionRefused(t *testing.T) {
	dsn := withPgvector(t)
	c := connected(t, dsn)
	_, err := c.Exec(t.Context(), fmt.Sprintf(`CREATE ROLE plain LOGIN; ALTER DATABASE %s OWNER TO plain`, c.Config().Database))
	must(t, err)
	s, rng := opened(t, dsn+" user=plain"), rand.New(rand.NewPCG(1, 2))
	handled(t, s, func(ctx context.Context, h store.Handle) error {
		err := h.Update(ctx, func(u store.Update) error {
			added(u, rng, "first", 100)
			return u.Finish(store.Documents, nil)
		})
		h.Tidy(ctx)
		return err
	})
	handled(t, s, func(ctx context.Context, h store.Handle) error {
		return h.View(ctx, func(v store.View) error {
			if got := v.Nearest(randomVector(rng), 10, store.Filter{}); len(got) != 10 || v.(*view).live[0].pgvector != "" {
				t.Errorf("%d are found, pgvector is %q", len(got), v.(*view).live[0].pgvector)
			}
			return nil
		})
	})
}

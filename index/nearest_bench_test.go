package index

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/index/quantized"
	"agentflow/index/store"
	"agentflow/memory"
	"agentflow/memory/chunk"
	"agentflow/memory/retrieval"
)

// clustered makes unit vectors around a thousand centres, as texts about a
// thousand things would have.
func clustered(rng *rand.Rand, size int) func() []float32 {
	centres := make([][]float32, 1000)
	for i := range centres {
		centres[i] = randomUnit(rng, size)
	}
	return func() []float32 {
		v := randomUnit(rng, size)
		for i, x := range centres[rng.IntN(len(centres))] {
			v[i] = x + 0.7*v[i]
		}
		return unit(v)
	}
}

// fillVectors writes n chunks of 600 bytes with the vectors that next makes,
// and returns these.
func fillVectors(b testing.TB, d *DB, n int, next func() []float32) [][]float32 {
	vectors := make([][]float32, n)
	text := strings.Repeat("words of a text ", 38)
	err := d.With(b.Context(), func(h store.Handle) error {
		defer h.Tidy(b.Context())
		return h.Update(b.Context(), func(u store.Update) error {
			id, _ := u.Begin(0, store.File{Name: "f", Hash: []byte{}})
			for i := range n {
				vectors[i] = next()
				r := store.Row{Chunk: chunk.Chunk{Kind: "run", Heading: "h", Branch: "main", Text: text, Date: time.Unix(int64(i), 0)}, Key: int64(i), Terms: []byte{}, At: -1}
				for _, n := range []int{1, 2, 10, 100, 600, 1000} {
					if (i+1)%n == 0 {
						r.Types = append(r.Types, typeOf(n))
					}
				}
				r.Embedding = store.Embedding{Hash: newEmbedding(fmt.Sprint(i), "", "").Hash, Vector: quantized.Pack(vectors[i]), Made: true}
				u.Add(id, &r)
			}
			return u.Finish(store.Documents, nil)
		})
	})
	must(b, err)
	return vectors
}

// exactly returns the ids of the k vectors with the highest dot product: the
// first chunk has id 1.
func exactly(vectors [][]float32, q []float32, k int) []int64 {
	best := make([]store.Neighbour, len(vectors))
	for i, v := range vectors {
		best[i] = store.Neighbour{ID: int64(i + 1), Cosine: dot(q, v)}
	}
	slices.SortFunc(best, func(a, b store.Neighbour) int { return cmp.Compare(b.Cosine, a.Cosine) })
	ids := make([]int64, 0, k)
	for _, n := range best[:k] {
		ids = append(ids, n.ID)
	}
	return ids
}

func nearestIDs(t testing.TB, d *DB, q []float32, n int, f store.Filter) (ids []int64) {
	t.Helper()
	looked(t, d, func(s *searcher) {
		for _, k := range s.view.Nearest(q, n, f) {
			ids = append(ids, k.ID%(1<<40)) // PostgreSQL has the number of the index above
		}
	})
	return ids
}

func typeOf(n int) memory.FactType { return memory.FactType(fmt.Sprint("every", n)) }

// every returns a filter that admits those chunks of fillVectors with an ID
// divisible by n.
func every(n int) store.Filter {
	return store.Filter{Filter: retrieval.Filter{Types: []memory.FactType{typeOf(n)}}}
}

func benchmarkNearest(b *testing.B, n int) {
	s := newStore(b)
	d := s.open(Options{Embedder: inline(256)})
	rng := rand.New(rand.NewPCG(1, 2))
	next := clustered(rng, 256)
	vectors := fillVectors(b, d, n, next)
	queries := make([][]float32, 20)
	found, all := 0, 0
	for i := range queries {
		queries[i] = next()
		want := exactly(vectors, queries[i], 10)
		for _, id := range nearestIDs(b, d, queries[i], 10, store.Filter{}) {
			if all++; slices.Contains(want, id) {
				found++
			}
		}
	}
	vectors = nil
	for name, f := range map[string]store.Filter{"all": {}, "tenth": every(10), "thousandth": every(1000)} {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				start := time.Now()
				nearestIDs(b, d, queries[i%len(queries)], 10, f)
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms/median")
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "ms/p95")
			b.ReportMetric(float64(found)/float64(all), "recall@10")
			b.ReportMetric(sizeOf(b, d, "blocks")/1e6, "MB/blocks")
			b.ReportMetric(sizeOf(b, d, "embeddings")/1e6, "MB/vectors")
		})
	}
}

// sizeOf returns the total size of a table's rows.
func sizeOf(b testing.TB, d *DB, table string) float64 {
	columns := map[string]string{"blocks": "length(bits)+8", "embeddings": "length(v)+2*length(hash)+16"}
	n, err := column[float64](context.Background(), oneConn(b, tables(b, d)), `SELECT sum(`+columns[table]+`) FROM `+table)
	must(b, err)
	return n[0]
}

func BenchmarkNearest(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchmarkNearest(b, n) })
	}
}

// BenchmarkNearestMillion takes minutes and 2 GB.
func BenchmarkNearestMillion(b *testing.B) {
	if os.Getenv("AGENTFLOW_BENCH_MILLION") == "" {
		b.Skip("AGENTFLOW_BENCH_MILLION is not set")
	}
	benchmarkNearest(b, 1_000_000)
}

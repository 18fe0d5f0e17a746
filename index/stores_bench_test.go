package index

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agentflow/embed"
	"agentflow/index/postgres"
	"agentflow/index/store"
	"agentflow/internal/eval"
	"agentflow/internal/testing/pgtest"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/memory/retrieval"
)

// retold writes n entries, 200 a file: the commits of a history again and again, in each
// round with other ids, other paths and, for a third of the words, new ones.
func retold(b testing.TB, s notes, n int) {
	h, err := eval.ReadLog("../testdata/search/history.jsonl")
	must(b, err)
	seed := rand.NewChaCha8([32]byte{1})
	at := day.Add(-time.Duration(n) * time.Minute)
	var text strings.Builder
	for i := range n {
		c, round := h.Commits[i%len(h.Commits)], i/len(h.Commits)
		at = at.Add(time.Minute)
		id, err := memory.NewID(at, seed)
		must(b, err)
		e := memory.Entry{ID: id, Kind: memory.KindRun, Time: at, Agent: "claude", Task: inOtherWords(c.Subject, round),
			Result: &memory.Result{Outcome: memory.OutcomeOK, Success: true, Duration: time.Second}}
		e.Title = memory.Title(e.Task)
		for k := range 6 {
			e.Summary += inOtherWords(h.Commits[(i*(k+2)+k)%len(h.Commits)].Subject, round) + ".\n"
		}
		for _, f := range c.Files {
			f.Path = fmt.Sprintf("part%d/%s", round%40, f.Path)
			e.Changes.Items = append(e.Changes.Items, f)
		}
		text.Write(markdown.Format(e))
		if i%200 == 199 || i == n-1 {
			s.put(fmt.Sprintf("d%06d.md", i/200), text.String())
			text.Reset()
		}
	}
}

// inOtherWords replaces a third of the words, in each round by others.
func inOtherWords(text string, round int) string {
	words := strings.Fields(text)
	for i, w := range words {
		h := fnv.New64a()
		fmt.Fprint(h, w, round)
		if sum := h.Sum64(); round > 0 && sum%3 == 0 {
			words[i] = wordOf(sum % 200_000)
		}
	}
	return strings.Join(words, " ")
}

// asked returns subjects of the history, every second one with some words
// replaced.
func asked(b testing.TB, n int) (list []string) {
	h, err := eval.ReadLog("../testdata/search/history.jsonl")
	must(b, err)
	for i := range 120 {
		list = append(list, inOtherWords(h.Commits[i*5%len(h.Commits)].Subject, i%2*(i*n/120/len(h.Commits))))
	}
	return list
}

// BenchmarkStores fills an index of AGENTFLOW_BENCH_CHUNKS chunks (10,000 when it is not
// set) in each store, and asks it: in a process that has it open (warm), by opening it for
// each question (cold), and from 32 goroutines at once. PostgreSQL is asked without
// pgvector, and then with its index, which takes index-s to make where the server has it.
// AGENTFLOW_DSN names a database to use; else one is started.
func BenchmarkStores(b *testing.B) {
	n := 10_000
	if said := os.Getenv("AGENTFLOW_BENCH_CHUNKS"); said != "" {
		_, err := fmt.Sscan(said, &n)
		must(b, err)
	}
	s := notes{t: b, dir: b.TempDir()}
	retold(b, s, n)
	list := asked(b, n)
	dsn := os.Getenv("AGENTFLOW_DSN")
	if dsn == "" {
		dsn = pgtest.Database(b)
	}
	var want []answered
	for _, name := range []string{"sqlite", postgres.Name, "pgvector"} {
		b.Run(name, func(b *testing.B) {
			s.t = b
			o := Options{Embedder: local(b)}
			if name != "sqlite" {
				o.Server = Server{Store: postgres.Name, DSN: dsn, Repository: fmt.Sprint("bench", n)}
			}
			if from := map[string]int{postgres.Name: n + 1, "pgvector": 1}[name]; from > 0 {
				b.Setenv("PGOPTIONS", fmt.Sprint("-c agentflow.vectors_indexed_from=", from))
			}
			d := s.open(o)
			start := time.Now()
			s.sync(d)
			load := time.Since(start).Seconds()
			start = time.Now()
			must(b, d.With(b.Context(), func(h store.Handle) error {
				h.Tidy(b.Context())
				return nil
			}))
			indexed := time.Since(start).Seconds()
			stats, err := d.Stats(b.Context())
			must(b, err)
			cold := latencies(list[:24], func(q string) {
				d := s.open(o)
				search1(b, d, retrieval.Query{Text: q, Gate: true})
				must(b, d.Close())
			})
			ask := func(q string) { search1(b, d, retrieval.Query{Text: q, Gate: true}) }
			latencies(list, ask)
			var warm []float64
			for b.Loop() {
				warm = append(warm, latencies(list, ask)...)
			}
			b.ReportMetric(float64(stats.Chunks), "chunks")
			b.ReportMetric(load, "load-s")
			b.ReportMetric(indexed, "index-s")
			b.ReportMetric(float64(stats.Bytes)/1e6, "MB")
			quantiles(b, "cold", cold)
			quantiles(b, "warm", warm)
			quantiles(b, "of32", crowded(b, d, list))
			b.ReportMetric(0, "ns/op")
			got := answers(b, d, list)
			if want == nil {
				want = got
			}
			compare(b, got, want)
		})
	}
}

// answered is what an index has for a question.
type answered struct {
	hits    []string
	nearest []int64 // keys of the ten nearest in meaning
}

func answers(b *testing.B, d *DB, list []string) (all []answered) {
	vectors, err := d.o.Embedder.Embed(b.Context(), embed.Query, list)
	must(b, err)
	for i, q := range list {
		var a answered
		for _, h := range search1(b, d, retrieval.Query{Text: q, Gate: true}) {
			a.hits = append(a.hits, fmt.Sprint(h.EntryID, h.StartLine))
		}
		looked(b, d, func(s *searcher) {
			for _, k := range s.view.Nearest(vectors[i], 10, store.Filter{}) {
				a.nearest = append(a.nearest, k.Key)
			}
		})
		all = append(all, a)
	}
	return all
}

// compare reports for how many questions an index answers as another does.
func compare(b *testing.B, got, want []answered) {
	var hits, first, nearest float64
	for i := range got {
		if slices.Equal(got[i].hits, want[i].hits) {
			hits++
		}
		if len(got[i].hits) == len(want[i].hits) && (len(got[i].hits) == 0 || got[i].hits[0] == want[i].hits[0]) {
			first++
		}
		if slices.Equal(got[i].nearest, want[i].nearest) {
			nearest++
		}
	}
	b.ReportMetric(hits/float64(len(got)), "same-hits")
	b.ReportMetric(first/float64(len(got)), "same-first-hit")
	b.ReportMetric(nearest/float64(len(got)), "same-nearest")
}

// crowded returns how long each question took while 32 were always being asked
// at once.
func crowded(b *testing.B, d *DB, list []string) (took []float64) {
	var mu sync.Mutex
	var all sync.WaitGroup
	start := time.Now()
	for i := range 32 {
		all.Go(func() {
			mine := latencies(list[i*3:i*3+12], func(q string) {
				if _, err := d.Search(b.Context(), retrieval.Query{Text: q, Gate: true, Now: day}); err != nil {
					b.Error(err)
				}
			})
			mu.Lock()
			took = append(took, mine...)
			mu.Unlock()
		})
	}
	all.Wait()
	b.ReportMetric(float64(len(took))/time.Since(start).Seconds(), "of32-searches/s")
	return took
}

// latencies returns how many milliseconds each question took.
func latencies(list []string, ask func(string)) (took []float64) {
	for _, q := range list {
		start := time.Now()
		ask(q)
		took = append(took, time.Since(start).Seconds()*1000)
	}
	return took
}

func quantiles(b *testing.B, of string, took []float64) {
	b.ReportMetric(quantile(took, 0.5), of+"-median-ms")
	b.ReportMetric(quantile(took, 0.95), of+"-p95-ms")
}

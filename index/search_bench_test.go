package index

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/markdown"
	"agentflow/memory/retrieval"
)

// worked fills a store with n entries as runs leave them, 50 a file: words in
// the frequencies of natural language, and changes of files that are changed as
// unevenly.
func worked(b testing.TB, s notes, n int) {
	rng := rand.New(rand.NewPCG(3, 4))
	words := rand.NewZipf(rng, 1.07, 8, 60000)
	files := rand.NewZipf(rng, 1.1, 20, 5000)
	seed := rand.NewChaCha8([32]byte{1})
	at := day.Add(-time.Duration(n) * 20 * time.Minute)
	for i := range n / 50 {
		var text strings.Builder
		for range 50 {
			at = at.Add(20 * time.Minute)
			id, err := memory.NewID(at, seed)
			must(b, err)
			e := memory.Entry{ID: id, Kind: memory.KindRun, Time: at, Agent: "claude", Task: prose(words, 10), Summary: prose(words, 50),
				Result: &memory.Result{Outcome: memory.OutcomeOK, Success: true, Duration: time.Second}}
			for range 1 + rng.IntN(6) {
				e.Changes.Items = append(e.Changes.Items, changeset.Change{Status: 'M', Path: pathOf(files.Uint64()), Counted: true, Added: 3})
			}
			e.Title = memory.Title(e.Task)
			text.Write(markdown.Format(e))
		}
		s.put(fmt.Sprintf("d%05d.md", i), text.String())
	}
}

// wordOf returns the word of a rank. It consists of syllables, so that n-grams
// differ between words. One word in 50 is Chinese.
func wordOf(rank uint64) string {
	if rank%50 == 49 {
		return string([]rune{rune(0x4e00 + rank%5000), rune(0x4e00 + rank*7%5000)})
	}
	syllables := []string{"ba", "cor", "di", "fen", "gul", "ha", "jet", "kli", "lo", "mar", "nu", "pre", "quo", "ri", "sto", "tra", "ul", "ven", "wi", "zon"}
	var b strings.Builder
	for n := rank + 1; n > 0; n /= 20 {
		b.WriteString(syllables[n%20])
	}
	return b.String()
}

func pathOf(rank uint64) string {
	return fmt.Sprintf("pkg/%s/%s.go", wordOf(rank%50*50), wordOf(rank*50))
}

func prose(words *rand.Zipf, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = wordOf(words.Uint64())
	}
	return strings.Join(list, " ")
}

// questions returns 240 queries of eight kinds.
func questions() []string {
	rng := rand.New(rand.NewPCG(5, 6))
	words := rand.NewZipf(rng, 1.07, 8, 60000)
	any := func(n int, from, to uint64) string {
		list := make([]string, n)
		for i := range list {
			list[i] = wordOf(from + rng.Uint64N(to-from))
		}
		return strings.Join(list, " ")
	}
	var list []string
	for range 30 {
		rare := any(1, 3000, 20000)
		list = append(list,
			any(4, 3000, 20000), // rare
			any(4, 0, 12),       // only very common
			any(6, 20, 400),     // medium
			prose(words, 10),
			prose(words, 50),
			"fix "+pathOf(rng.Uint64N(400))+" "+any(2, 100, 2000),
			wordOf(50*rng.Uint64N(40)+49)+" "+wordOf(50*rng.Uint64N(40)+49),
			rare[:len(rare)-1]+"x "+any(3, 50, 1000)) // a typo
	}
	return list
}

func benchmarkHybrid(b *testing.B, n int) {
	s := newStore(b)
	worked(b, s, n)
	d := s.open(Options{Embedder: local(b)})
	s.sync(d)
	list := questions()
	for _, q := range list { // warm
		search1(b, d, retrieval.Query{Text: q, Gate: true})
	}
	var clock, processor []float64
	for b.Loop() {
		for _, q := range list {
			used, start := processorTime(), time.Now()
			search1(b, d, retrieval.Query{Text: q, Gate: true})
			clock = append(clock, time.Since(start).Seconds()*1000)
			processor = append(processor, (processorTime()-used).Seconds()*1000)
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(quantile(clock, 0.5), "median-ms")
	b.ReportMetric(quantile(clock, 0.95), "p95-ms")
	b.ReportMetric(quantile(processor, 0.5), "median-cpu-ms")
	b.ReportMetric(quantile(processor, 0.95), "p95-cpu-ms")
}

// BenchmarkHybridSearch measures a search by words and by meaning in an open
// index, over 240 different queries: rare words, very common ones, long texts,
// paths, Chinese, typos.
func BenchmarkHybridSearch(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchmarkHybrid(b, n) })
	}
}

// BenchmarkHybridSearchMillion takes many minutes and 5 GB.
func BenchmarkHybridSearchMillion(b *testing.B) {
	if os.Getenv("AGENTFLOW_BENCH_MILLION") == "" {
		b.Skip("AGENTFLOW_BENCH_MILLION is not set")
	}
	benchmarkHybrid(b, 1_000_000)
}

package index

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/embed"
	"agentflow/memory/retrieval"
)

// corpus fills a store with entries of words in the frequencies of natural
// language (Zipf), and returns the bytes of text.
func corpus(b testing.TB, s notes, files, each int) int {
	rng := rand.New(rand.NewPCG(1, 2))
	z := rand.NewZipf(rng, 1.07, 8, 40000)
	word := func() string { return fmt.Sprintf("w%dq", z.Uint64()) }
	size := 0
	for i := range files {
		var text strings.Builder
		for j := range each {
			at := day.Add(-time.Duration(i*each+j) * time.Minute)
			body := make([]string, 60)
			for k := range body {
				body[k] = word()
			}
			text.WriteString(entry(fmt.Sprintf("e%d-%d", i, j), at, strings.Join(body[:6], " "),
				strings.Join(body, " ")+fmt.Sprintf("\nsee pkg%d/file%d.go", i%97, j)))
		}
		size += text.Len()
		s.put(fmt.Sprintf("d%05d.md", i), text.String())
	}
	return size
}

func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		s := newStore(b)
		corpus(b, s, n/50, 50)
		d := s.open(Options{})
		s.sync(d)
		for name, q := range map[string]string{
			"rare":    "w3000q w4000q w500q w7000q",
			"mixed":   "w1q w20q w90q w333q w700q w2500q",
			"common":  "w0q w1q w2q w3q",
			"medium":  "w30q w40q w50q w60q w70q w80q w90q w100q",
			"missing": "zebra giraffe okapi",
			"path":    "fix pkg7/file9.go",
		} {
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				for b.Loop() {
					search1(b, d, retrieval.Query{Text: q, Gate: true})
				}
			})
		}
	}
}

// BenchmarkOpenSyncSearch measures a command in a fresh process when nothing
// changed: 10,000 entries in 2,000 files.
func BenchmarkOpenSyncSearch(b *testing.B) {
	for name, o := range map[string]Options{"none": {}, "local": {Embedder: local(b)}} {
		s := newStore(b)
		corpus(b, s, 2000, 5)
		s.sync(s.open(o))
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				d, err := Open(b.Context(), s.db(), o)
				must(b, err)
				d.now = func() time.Time { return time.Now().Add(time.Hour) }
				s.sync(d)
				search1(b, d, retrieval.Query{Text: "w1q w20q w90q w333q w700q w2500q", Gate: true})
				must(b, d.Close())
			}
		})
	}
}

func BenchmarkSyncUnchanged(b *testing.B) {
	s := newStore(b)
	corpus(b, s, 2000, 5)
	d := s.open(Options{})
	s.sync(d)
	for b.Loop() {
		s.sync(d)
	}
}

// BenchmarkRebuild reports MB/s of Markdown, and how much longer a full index takes
// than plain inserts of the same text into an FTS5 table, one after the other
// each time: medians of our time by that, of the clock and of the processor.
func BenchmarkRebuild(b *testing.B) { benchmarkRebuild(b, Options{}) }

// BenchmarkRebuildLocal has the vectors of the local embedder made too.
func BenchmarkRebuildLocal(b *testing.B) { benchmarkRebuild(b, Options{Embedder: local(b)}) }

func local(b testing.TB) embed.Embedder {
	e, err := embed.New(embed.Options{Provider: "local"})
	must(b, err)
	return e
}

func benchmarkRebuild(b *testing.B, o Options) {
	s := newStore(b)
	size := corpus(b, s, 200, 50)
	d := s.open(o)
	s.sync(d)
	chunks := texts(b, d)
	plain := filepath.Join(s.dir, "plain.db")
	var speed, clock, processor []float64
	for b.Loop() {
		alter(b, s.db(), "DELETE FROM embeddings; UPDATE meta SET value=0 WHERE key='cached'") // a first build
		ours := timed(func() {
			_, err := d.Rebuild(b.Context(), s.source())
			must(b, err)
		})
		beside := timed(func() { plainInserts(b, plain, chunks) })
		removeDB(b, plain)
		speed = append(speed, float64(size)/1e6/ours.clock.Seconds())
		clock = append(clock, ours.clock.Seconds()/beside.clock.Seconds())
		processor = append(processor, ours.processor.Seconds()/beside.processor.Seconds())
	}
	b.ReportMetric(quantile(speed, 0.5), "MB/s")
	b.ReportMetric(quantile(clock, 0.5), "timesPlain")
	b.ReportMetric(quantile(processor, 0.5), "cpuTimesPlain")
}

func oneConn(b testing.TB, pool *sql.DB) *sql.Conn {
	c, err := pool.Conn(b.Context())
	must(b, err)
	b.Cleanup(func() { _ = c.Close() })
	return c
}

func plainInserts(b *testing.B, path string, texts []string) {
	db, err := sql.Open("sqlite", path+"?_pragma=journal_mode(wal)&_pragma=synchronous(normal)")
	must(b, err)
	defer db.Close()
	mustExec(b, db, `CREATE VIRTUAL TABLE t USING fts5(text, tokenize='porter unicode61')`)
	tx, err := db.Begin()
	must(b, err)
	st, err := tx.Prepare(`INSERT INTO t VALUES(?)`)
	must(b, err)
	for _, s := range texts {
		if _, err := st.Exec(s); err != nil {
			b.Fatal(err)
		}
	}
	must(b, tx.Commit())
}

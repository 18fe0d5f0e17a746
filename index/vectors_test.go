package index

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/embed"
	"agentflow/index/quantized"
	"agentflow/index/store"
)

// nearTitles asks for the n chunks nearest to a text, as a Search does, and returns
// the titles of their entries.
func nearTitles(t testing.TB, d *DB, text string, n int, f store.Filter) string {
	t.Helper()
	q, why := d.queryVector(t.Context(), text)
	if why != "" {
		t.Fatalf("embedding %q: %s", text, why)
	}
	var titles []string
	looked(t, d, func(s *searcher) {
		for _, n := range s.view.Nearest(q, n, f) {
			for _, k := range s.view.Load([]int64{n.ID}, nil) {
				titles = append(titles, lastPart(k.Heading))
			}
		}
	})
	return strings.Join(titles, "|")
}

func stats(t testing.TB, d *DB) Stats {
	t.Helper()
	s, err := d.Stats(t.Context())
	must(t, err)
	return s
}

// vectorDump returns all that an index stores about vectors, without row IDs.
func vectorDump(t testing.TB, d *DB) string {
	t.Helper()
	c, err := tables(t, d).Conn(t.Context())
	must(t, err)
	defer c.Close()
	var m store.Vectors
	bits := map[int64]string{} // by chunk
	looked(t, d, func(s *searcher) {
		m = s.view.Vectors()
		signs := quantized.NewSigns(m.Dimensions)
		s.view.(store.Signatures).Blocks(func(id int64, raw []byte) error {
			b, err := quantized.ReadBlock(signs, raw)
			must(t, err)
			for slot, of := range b.All() {
				bits[id*quantized.BlockSize+int64(slot)] = fmt.Sprint(of)
			}
			return nil
		})
	})
	rows, err := c.QueryContext(t.Context(), `SELECT c.id, f.path||' '||c.start||' '||c.ordinal||' '||hex(coalesce(p.hash, e.hash, ''))||' '||
			coalesce(hex(e.v), '-')||' '||coalesce(p.text, '-')
		FROM chunks c JOIN files f ON f.id=c.file LEFT JOIN pending p ON p.chunk=c.id
		LEFT JOIN embeddings e ON e.id=c.embedding AND p.chunk IS NULL ORDER BY f.path, c.start, c.ordinal`)
	must(t, err)
	var out strings.Builder
	var ids []int64
	for rows.Next() {
		var id int64
		var line string
		must(t, rows.Scan(&id, &line))
		ids = append(ids, id)
		fmt.Fprintln(&out, line)
	}
	must(t, rows.Err())
	must(t, rows.Close())
	for _, id := range ids {
		if of, ok := bits[id]; ok {
			fmt.Fprintln(&out, of)
		} else {
			fmt.Fprintln(&out, "no bits")
		}
		delete(bits, id)
	}
	if len(bits) > 0 {
		t.Errorf("there are bits of %d chunks that are not there", len(bits))
	}
	fmt.Fprintln(&out, m.Embedder, m.Dimensions, m.Number)
	cached, err := column[int64](t.Context(), c, `SELECT count(*) FROM embeddings`)
	must(t, err)
	if cached[0] != m.Cached {
		t.Errorf("%d vectors are cached, noted are %d", cached[0], m.Cached)
	}
	return out.String()
}

// checkVectors checks that the vectors equal those of an index built afresh.
func checkVectors(t testing.TB, s notes, d *DB, e embed.Embedder) {
	t.Helper()
	fresh, err := Open(t.Context(), filepath.Join(t.TempDir(), "index.db"), Options{Embedder: e})
	must(t, err)
	defer fresh.Close()
	_, err = fresh.Sync(t.Context(), s.source())
	must(t, err)
	_, err = fresh.EmbedPending(t.Context(), nil)
	must(t, err)
	if got, want := vectorDump(t, d), vectorDump(t, fresh); got != want {
		t.Errorf("other vectors than afresh:\n%s", firstDifference([]byte(got), []byte(want)))
	}
}

func TestInlineVectors(t *testing.T) {
	s := filled(t)
	e := inline(256)
	d := s.open(Options{Embedder: e})
	s.sync(d)
	if got := stats(t, d); got.Vectors != got.Chunks || got.Pending != 0 || got.Embedder != "words/256" {
		t.Errorf("%+v", got)
	}
	if got := nearTitles(t, d, "the flaky login test", 1, store.Filter{}); got != "Fix the flaky login test" {
		t.Errorf("nearest is %q", got)
	}
	checkVectors(t, s, d, e)
	e.asked = nil
	s.put("2026-11-21.md", entry("login", day, "Fix the flaky login test", "The clock was real.")+entry("more", day, "A zebra", "Seen."))
	s.sync(d)
	if got := strings.Join(e.asked, "|"); got != "A zebra\nA zebra\nSeen." {
		t.Errorf("asked for %q", got)
	}
	if got := nearTitles(t, d, "zebra seen", 1, store.Filter{}); got != "A zebra" {
		t.Errorf("nearest is %q", got)
	}
	checkVectors(t, s, d, e)
}

func TestRemoteVectors(t *testing.T) {
	s := filled(t)
	e := remote(300)
	d := s.open(Options{Embedder: e})
	s.sync(d)
	if got := stats(t, d); got.Vectors != 0 || got.Pending != got.Chunks || len(e.asked) != 0 {
		t.Errorf("%+v, asked for %d", got, len(e.asked))
	}
	var told []int
	r, err := d.EmbedPending(t.Context(), func(done, total int) { told = append(told, done, total) })
	must(t, err)
	got := stats(t, d)
	if got.Vectors != got.Chunks || got.Pending != 0 || r.Embedded != got.Chunks || r.Pending != 0 {
		t.Errorf("%+v, %+v", got, r)
	}
	if len(told) < 4 || told[0] != 16 || told[1] != got.Chunks || told[len(told)-2] != got.Chunks {
		t.Errorf("told %v", told)
	}
	checkVectors(t, s, d, remote(300))
}

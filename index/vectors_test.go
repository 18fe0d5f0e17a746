package index

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"agentflow/embed"
)

// nearTitles asks for the n chunks nearest to a text, as a Search does, and returns
// the titles of their entries.
func nearTitles(t testing.TB, d *DB, text string, n int, f filter) string {
	t.Helper()
	q, why := d.queryVector(t.Context(), text)
	if why != "" {
		t.Fatalf("embedding %q: %s", text, why)
	}
	var titles []string
	err := d.withFilled(t.Context(), func(h *handle) error {
		return read(t.Context(), h.pool, func(c *sql.Conn) error {
			s := newStatements(t.Context(), c)
			titles = nil
			for _, k := range d.nearest(s, q, n, f) {
				heading, err := column[string](t.Context(), c, `SELECT heading FROM chunks WHERE id=?`, k.id)
				must(t, err)
				titles = append(titles, lastPart(heading[0]))
			}
			return s.err
		})
	})
	must(t, err)
	return strings.Join(titles, "|")
}

func stats(t testing.TB, d *DB) Stats {
	t.Helper()
	s, err := d.Stats(t.Context())
	must(t, err)
	return s
}

// vectorDump is all that an index holds of vectors, without row ids.
func vectorDump(t testing.TB, d *DB) string {
	t.Helper()
	c, err := d.h.pool.Conn(t.Context())
	must(t, err)
	defer c.Close()
	m, err := readVectorMeta(t.Context(), c)
	must(t, err)
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
	w := newVectorWriter(newStatements(t.Context(), c))
	defer w.close()
	for _, id := range ids {
		b := w.block(id)
		must(t, w.err)
		if !b.Has(slotOf(id)) {
			fmt.Fprintln(&out, "no bits")
			continue
		}
		for slot, bits := range b.All() {
			if slot == slotOf(id) {
				fmt.Fprintln(&out, bits)
			}
		}
		b.Clear(slotOf(id))
	}
	for id, b := range w.blocks {
		if b.Len() != 0 {
			t.Errorf("block %d has bits of chunks that are not there", id)
		}
	}
	blocks, err := column[int](t.Context(), c, `SELECT count(*) FROM blocks`)
	must(t, err)
	fmt.Fprintln(&out, m.embedder, m.dimensions, m.vectors, len(w.blocks) < blocks[0])
	cached, err := column[int64](t.Context(), c, `SELECT count(*) FROM embeddings`)
	must(t, err)
	if cached[0] != m.cached {
		t.Errorf("%d vectors are cached, noted are %d", cached[0], m.cached)
	}
	return out.String()
}

// checkVectors holds that the vectors are those of an index built afresh.
func checkVectors(t testing.TB, s store, d *DB, e embed.Embedder) {
	t.Helper()
	fresh, err := Open(t.Context(), "", Options{Embedder: e})
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
	if got := nearTitles(t, d, "the flaky login test", 1, filter{}); got != "Fix the flaky login test" {
		t.Errorf("nearest is %q", got)
	}
	checkVectors(t, s, d, e)
	e.asked = nil
	s.put("2026-11-21.md", entry("login", day, "Fix the flaky login test", "The clock was real.")+entry("more", day, "A zebra", "Seen."))
	s.sync(d)
	if got := strings.Join(e.asked, "|"); got != "A zebra\nA zebra\nSeen." {
		t.Errorf("asked for %q", got)
	}
	if got := nearTitles(t, d, "zebra seen", 1, filter{}); got != "A zebra" {
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

package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"agentflow/internal/testing/endtest"
	"agentflow/memory"
)

// parsed is an index of one entry.
func parsed(t *testing.T) (store, *DB) {
	t.Helper()
	s := newStore(t)
	s.put("a.md", entry("e1", day, "Speed up the parser", "It reads the file once."))
	d := s.open(Options{Embedder: local(t)})
	s.sync(d)
	return s, d
}

// searching is a search that has not begun.
func searching(t *testing.T, d *DB, text string) *searcher {
	t.Helper()
	s := &searcher{db: d, q: memory.Query{Text: text}, r: d.o.Ranking, cache: searchCache}
	s.embed(t.Context())
	return s
}

// nearTo are the headings of what counts as near.
func (s *searcher) nearTo(t *testing.T, c *sql.Conn) string {
	t.Helper()
	list, err := s.near(t.Context(), c)
	if err != nil {
		t.Error(err)
	}
	var headings []string
	for _, k := range list {
		headings = append(headings, lastPart(k.heading))
	}
	return strings.Join(headings, "|")
}

// TestAsideMustSeeTheSame holds that what was found aside counts when it is of
// the edition that is searched, and is looked for again when not.
func TestAsideMustSeeTheSame(t *testing.T) {
	_, d := parsed(t)
	for name, c := range map[string]struct {
		change func(*nearby)
		want   string
	}{
		"the same":      {func(*nearby) {}, "Other"},
		"written since": {func(n *nearby) { n.of.meta += "1" }, "Speed up the parser"},
		"another file":  {func(n *nearby) { n.of.h = &handle{} }, "Speed up the parser"},
		"could not":     {func(n *nearby) { n.err = errors.New("disk full") }, "Speed up the parser"},
	} {
		s := searching(t, d, "parser")
		must(t, s.inEdition(t.Context(), d.h, func(conn *sql.Conn, now edition) error {
			n := nearby{list: []*candidate{{heading: "Other", cosine: 1, embedded: true}}, of: now}
			c.change(&n)
			begun := make(chan struct{})
			close(begun)
			s.of, s.beside = now, &aside{begun: begun, wait: func() nearby { return n }}
			if got := s.nearTo(t, conn); got != c.want {
				t.Errorf("%s: %q, want %q", name, got, c.want)
			}
			return nil
		}))
	}
}

// TestAsideEnds holds that nothing of it is left when it has ended, though it
// was still waiting for a connection.
func TestAsideEnds(t *testing.T) {
	_, d := parsed(t)
	d.h.pool.SetMaxOpenConns(1)
	s := searching(t, d, "parser")
	must(t, read(t.Context(), d.h.pool, func(*sql.Conn) error {
		beside := s.lookAside(t.Context(), d.h)
		endtest.Soon(t, "aside", beside.end)
		if n := beside.wait(); !errors.Is(n.err, context.Canceled) {
			t.Errorf("%+v", n)
		}
		return nil
	}))
}

// TestAsideWithoutWAL holds that a search does not wait for a connection that
// waits for a writer that waits for the search.
func TestAsideWithoutWAL(t *testing.T) {
	s, d := parsed(t)
	must(t, d.Close())
	probe, err := sql.Open("sqlite", s.db())
	must(t, err)
	t.Cleanup(func() { must(t, probe.Close()) })
	mustExec(t, probe, "PRAGMA journal_mode=delete")
	d = s.open(Options{Embedder: local(t)})
	q, wrote := searching(t, d, "parser"), make(chan error, 1)
	must(t, q.inEdition(t.Context(), d.h, func(c *sql.Conn, of edition) error {
		q.of = of
		go func() {
			_, err := d.h.pool.ExecContext(t.Context(), `UPDATE meta SET value=value+1 WHERE key='writes'`)
			wrote <- err
		}()
		endtest.Soon(t, "the writer's wait", func() {
			for probe.QueryRow(`SELECT count(*) FROM meta`).Scan(new(int)) == nil { // until nobody may begin to read
				time.Sleep(time.Millisecond)
			}
		})
		q.beside = q.lookAside(t.Context(), d.h)
		endtest.Soon(t, "near", func() {
			if got := q.nearTo(t, c); got != "Speed up the parser" {
				t.Errorf("%q", got)
			}
		})
		return nil
	}))
	q.beside.end()
	must(t, <-wrote)
}

// TestAsideHasItsOwnFilter is for the race detector: both searches learn which
// namespaces count, and add that to the filter.
func TestAsideHasItsOwnFilter(t *testing.T) {
	_, d := parsed(t)
	_, err := d.h.pool.Exec(`UPDATE chunks SET ns='other' WHERE id=1`)
	must(t, err)
	q := memory.Query{Text: "parser", Filter: memory.Filter{Since: day.Add(-time.Hour), Until: day.Add(time.Hour), Branch: "main"}} // three conditions, with room for a fourth
	for range 20 {
		search1(t, d, q)
	}
}

// TestSearchesWhileWritten searches by words and by meaning while entries come
// and go: what both connections find is of one edition, and the half that has
// the word is always found.
func TestSearchesWhileWritten(t *testing.T) {
	s := newStore(t)
	o := Options{Embedder: local(t), Ranking: DefaultRanking()}
	o.Ranking.Candidates, o.Ranking.CommonShare = 1, 1
	d := s.open(o)
	put := func(i int) { // the other half is only near
		var text strings.Builder
		for j := range 24 {
			text.WriteString(entry(fmt.Sprintf("e%d", j), day.Add(time.Duration(j)*time.Second), "Speed up the "+[]string{"parsery", "parser"}[j%2], fmt.Sprintf("Version %d.", i)))
		}
		s.put("d.md", text.String())
		s.sync(d)
	}
	put(0)
	var wg sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if hits, err := d.Search(t.Context(), memory.Query{Text: "parser", Limit: 30}); err != nil || len(hits) < 12 {
					t.Errorf("%d hits, %v", len(hits), err)
					return
				}
			}
		})
	}
	for i := range 30 {
		put(i)
	}
	close(done)
	wg.Wait()
}

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

	"agentflow/memory"
)

// besides searches with something that was found aside, and returns the
// headings of what counts as near.
func besides(t *testing.T, d *DB, text string, aside func(*handle, *sql.Conn) nearby) (headings []string) {
	t.Helper()
	s := searcher{db: d, q: memory.Query{Text: text}, r: d.o.Ranking, cache: searchCache}
	s.embed(t.Context())
	must(t, s.inEdition(t.Context(), d.h, func(c *sql.Conn, of edition) error {
		s.of = of
		found := aside(d.h, c)
		s.beside = func() nearby { return found }
		list, err := s.near(t.Context(), c)
		for _, k := range list {
			headings = append(headings, lastPart(k.heading))
		}
		return err
	}))
	return headings
}

// TestAsideMustSeeTheSame holds that what was found aside counts when it is of
// the edition that is searched, and is looked for again when not.
func TestAsideMustSeeTheSame(t *testing.T) {
	s := newStore(t)
	s.put("a.md", entry("e1", day, "Speed up the parser", "It reads the file once."))
	d := s.open(Options{Embedder: local(t)})
	s.sync(d)
	other := []*candidate{{heading: "Other", cosine: 1, embedded: true}}
	for name, c := range map[string]struct {
		aside func(h *handle, now edition) nearby
		want  string
	}{
		"the same":        {func(_ *handle, now edition) nearby { return nearby{list: other, of: now} }, "Other"},
		"written since":   {func(_ *handle, now edition) nearby { now.meta += "1"; return nearby{list: other, of: now} }, "Speed up the parser"},
		"another file":    {func(_ *handle, now edition) nearby { now.h = &handle{}; return nearby{list: other, of: now} }, "Speed up the parser"},
		"could not":       {func(_ *handle, now edition) nearby { return nearby{of: now, err: errors.New("disk full")} }, "Speed up the parser"},
		"was interrupted": {func(*handle, edition) nearby { return nearby{err: context.Canceled} }, "Speed up the parser"},
	} {
		got := besides(t, d, "parser", func(h *handle, conn *sql.Conn) nearby {
			now, err := editionOf(t.Context(), h, conn)
			must(t, err)
			return c.aside(h, now)
		})
		if strings.Join(got, "|") != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestAsideEnds holds that nothing of it uses the index when end has returned,
// also when the search did not wait for it.
func TestAsideEnds(t *testing.T) {
	s := newStore(t)
	s.put("a.md", entry("e1", day, "Speed up the parser", "It reads the file once."))
	d := s.open(Options{Embedder: local(t)})
	s.sync(d)
	for range 20 {
		q := searcher{db: d, q: memory.Query{Text: "parser"}, r: d.o.Ranking, cache: searchCache}
		q.embed(t.Context())
		q.aside(t.Context(), d.h)()
		if n := d.h.pool.Stats().InUse; n != 0 {
			t.Fatalf("%d connections are in use", n)
		}
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
		for j := range 40 {
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
				if hits, err := d.Search(t.Context(), memory.Query{Text: "parser", Limit: 30}); err != nil || len(hits) < 20 {
					t.Errorf("%d hits, %v", len(hits), err)
					return
				}
			}
		})
	}
	for i := range 100 {
		put(i)
	}
	close(done)
	wg.Wait()
}

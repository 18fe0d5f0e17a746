package index

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"sync"
)

// nearby is what was found near a query in meaning.
type nearby struct {
	list []*candidate
	of   edition
	err  error
}

// aside begins to look for the nearest in meaning on a connection of its own,
// while the search goes by keywords: the two take about as long. end stops it
// and waits until nothing of it is left.
func (s *searcher) aside(ctx context.Context, h *handle) (end func()) {
	if s.vector == nil || h.info == nil { // an index in memory has one connection
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	other, done := *s, make(chan nearby, 1)
	other.filter = s.filter.clone() // both add to it
	go func() {
		var n nearby
		n.err = other.inEdition(ctx, h, func(c *sql.Conn, of edition) (err error) {
			n.of = of
			if err = other.settle(ctx, c); err == nil {
				n.list, err = other.nearest(ctx, c)
			}
			return err
		})
		done <- n
	}()
	s.beside = sync.OnceValue(func() nearby { return <-done })
	return func() {
		cancel()
		s.beside()
	}
}

// near returns the chunks nearest in meaning, with their cosines. What was
// found aside counts when both saw the same edition.
func (s *searcher) near(ctx context.Context, c *sql.Conn) ([]*candidate, error) {
	if s.vector != nil && s.beside != nil {
		if n := s.beside(); n.err == nil && n.of == s.of {
			return n.list, nil
		}
	}
	return s.nearest(ctx, c)
}

// settle learns from the index what the search may look at: the namespaces
// that count, and whether there is anything that the query's vector can be
// compared with. The search goes on without it otherwise.
func (s *searcher) settle(ctx context.Context, c *sql.Conn) error {
	if err := s.filter.countIn(ctx, c, s.q.Namespaces); err != nil || s.vector == nil {
		return err
	}
	m, err := readVectorMeta(ctx, c)
	if err != nil || m.vectors == 0 || m.embedder != embedderKey(s.db.o) {
		s.vector = nil
	}
	return err
}

func (s *searcher) nearest(ctx context.Context, c *sql.Conn) ([]*candidate, error) {
	if s.vector == nil {
		return nil, nil
	}
	found, err := s.db.nearest(ctx, c, s.vector, s.r.Nearest, s.filter)
	if err != nil {
		return nil, err
	}
	cosines := make(map[int64]float64, len(found))
	for _, n := range found {
		if n.cosine >= s.r.NearFloor {
			cosines[n.id] = n.cosine
		}
	}
	list, err := s.load(ctx, c, slices.Collect(maps.Keys(cosines)), nil)
	for _, k := range list {
		k.cosine, k.embedded = cosines[k.id], true
	}
	return list, err
}

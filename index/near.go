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

// aside looks for the nearest in meaning on a connection of its own, while the
// search goes by keywords: the two take about as long.
type aside struct {
	begun  chan struct{} // closed when it reads an edition
	wait   func() nearby
	cancel context.CancelFunc
}

// lookAside begins; nil stands for nothing that is looked for aside.
func (s *searcher) lookAside(ctx context.Context, h *handle) *aside {
	if s.vector == nil || h.info == nil { // an index in memory has one connection
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	begun, done := make(chan struct{}), make(chan nearby, 1)
	other := *s
	other.filter = s.filter.clone() // both add to it
	go func() {
		var n nearby
		n.err = other.inEdition(ctx, h, func(c *sql.Conn, of edition) (err error) {
			n.of = of
			close(begun)
			if err = other.settle(ctx, c); err == nil {
				n.list, err = other.nearest(ctx, c)
			}
			return err
		})
		done <- n
	}()
	return &aside{begun, sync.OnceValue(func() nearby { return <-done }), cancel}
}

// found returns what counts in an edition. It does not wait for what has not
// begun to read: that may wait for a writer, which without WAL waits for the
// search.
func (a *aside) found(in edition) (list []*candidate, ok bool) {
	if a == nil {
		return nil, false
	}
	select {
	case <-a.begun:
		n := a.wait()
		return n.list, n.err == nil && n.of == in
	default:
		a.cancel()
		return nil, false
	}
}

// end stops it, and waits until nothing of it is left. The search must have
// ended its transaction.
func (a *aside) end() {
	if a != nil {
		a.cancel()
		a.wait()
	}
}

// near returns the chunks nearest in meaning, with their cosines.
func (s *searcher) near(ctx context.Context, c *sql.Conn) ([]*candidate, error) {
	if s.vector == nil {
		return nil, nil
	}
	if list, ok := s.beside.found(s.of); ok {
		return list, nil
	}
	return s.nearest(ctx, c)
}

// settle learns from the index what the search may look at: the namespaces
// that count, and whether there is anything that the query's vector can be
// compared with. The search goes on without it otherwise.
func (s *searcher) settle(ctx context.Context, c *sql.Conn) error {
	if s.q.Own {
		if err := s.filter.ownOnly(ctx, c); err != nil {
			return err
		}
	}
	if err := s.filter.countIn(ctx, c, s.q.Namespaces); err != nil || s.vector == nil {
		return err
	}
	m, err := readVectorMeta(ctx, c)
	if err != nil || m.vectors == 0 || m.embedder != embedderKey(s.db.o) {
		s.vector = nil
	}
	return err
}

// nearest is near on this connection.
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
	return s.telling(list), err
}

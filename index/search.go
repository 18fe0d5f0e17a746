package index

import (
	"context"
	"database/sql"
	"fmt"

	"agentflow/index/when"
	"agentflow/memory"
)

// defaultLimit is how many hits a query gets that names no number.
const defaultLimit = 5

// Search returns the hits of a query, best first: at most q.Limit (0: 5), one
// for each entry. No hits is no error. A damaged index is rebuilt from the
// sources of the last Sync and searched then.
func (d *DB) Search(ctx context.Context, q memory.Query) ([]memory.Hit, error) {
	hits, _, err := d.searched(ctx, q)
	return hits, err
}

// searched also says which edition it searched; the zero one when there was
// nothing to search for.
func (d *DB) searched(ctx context.Context, q memory.Query) (hits []memory.Hit, of edition, err error) {
	if q.Limit <= 0 {
		q.Limit = defaultLimit
	}
	s := searcher{db: d, q: q, r: d.o.Ranking, filter: filterOf(q.Filter), cache: searchCache}
	text := beginning(q.Text, s.r.QueryRunes)
	terms := s.within(text)
	if len(terms) > 0 || s.period == nil {
		s.embed(ctx)
	}
	if len(terms) == 0 && s.vector == nil && s.period == nil {
		return nil, of, nil
	}
	if !d.searchedBefore.Swap(true) {
		s.cache = firstSearchCache
	}
	err = d.withFilled(ctx, func(h *handle) error {
		if !h.current() {
			return ErrNotReady
		}
		return read(ctx, h.pool, func(c *sql.Conn) error {
			if err := keepInMemory(ctx, c, s.cache); err != nil {
				return err
			}
			if of, err = editionOf(ctx, h, c); err != nil {
				return err
			}
			hits, err = s.search(ctx, c, terms)
			return err
		})
	})
	if err != nil {
		return nil, of, fmt.Errorf("searching the index: %w", err)
	}
	return hits, of, nil
}

// searcher is one search.
type searcher struct {
	db     *DB
	q      memory.Query
	r      Ranking
	filter filter
	plan   plan
	period *when.Period // that the query names; nil: none
	vector []float32    // of the query; nil: by keywords only
	weight float64      // of vectors beside keywords, 0 to 1
	cache  int          // KB of the index to keep in memory
}

// embed makes the query's vector.
func (s *searcher) embed(ctx context.Context) {
	var why string
	if s.vector, why = s.db.queryVector(ctx, s.q.Text); why != "" {
		s.db.o.Lacking(why)
	}
	if s.vector != nil {
		s.weight = s.db.o.Embedder.Info().Weight
	}
}

func (s *searcher) search(ctx context.Context, c *sql.Conn, terms []term) ([]memory.Hit, error) {
	var err error
	if s.plan, err = measure(ctx, c, terms, s.r); err != nil {
		return nil, err
	}
	found, byDate, err := s.find(ctx, c)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	if err := judge(ctx, c, found, parseQuery(s.q.Text, s.r.QueryRunes), s.r); err != nil {
		return nil, err
	}
	s.relevance(found)
	found = things(found)
	if s.q.Gate {
		found = s.gated(found)
	}
	if byDate {
		return s.hits(ctx, c, s.newest(found))
	}
	picked, err := s.spread(ctx, c, found)
	if err != nil {
		return nil, err
	}
	return s.hits(ctx, c, picked)
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

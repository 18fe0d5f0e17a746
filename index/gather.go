package index

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"

	"agentflow/index/quantized"
)

// candidate is a chunk that may become a hit, with all that its score
// depends on.
type candidate struct {
	id          int64
	bm25        float64 // higher is better; 0 when no word matches
	cosine      float64 // of its vector and the query's
	embedded    bool    // it has a vector
	path        string
	entry, kind string
	heading, ns string
	source      string
	titles      string     // headings of all found that stand for the same
	origin      *candidate // of a moved fact: its entry, where that was found too
	start, stop int
	date, zone  *int64
	commits     []byte
	paths       []byte
	terms       []byte
	importance  float64
	pinned      bool
	undone      bool
	idle        bool
	included    bool

	held                    // of the query
	dated           bool    // of the period that the query names
	judged          float64 // what judgements leave of the relevance: see judge
	keyword, vector float64 // parts of relevance
	decay, weight   float64
	gone            bool
	relevance       float64
	files           float64 // what its paths added when it was picked
	score           float64
}

// gather returns the candidates that pass the filter: the best by keywords,
// and the nearest in meaning.
func (s *searcher) gather(ctx context.Context, c *sql.Conn) ([]*candidate, error) {
	w := window{scored: s.r.Scored, best: max(s.r.Candidates, 2*s.q.Limit)}
	found, err := s.byKeyword(ctx, c, s.filter, w)
	if err != nil {
		return nil, err
	}
	full := len(found) == w.best
	if err := s.addDated(ctx, c, found); err != nil {
		return nil, err
	}
	matching, err := s.scored(ctx, c, found)
	if err != nil {
		return nil, err
	}
	near, err := s.near(ctx, c)
	if err != nil {
		return nil, err
	}
	all := s.join(matching, near)
	// A filter, or one long entry, may have left too few of the best: then
	// look at all.
	if (full || !s.filter.none()) && s.room(all) < s.q.Limit {
		if found, err = s.byKeyword(ctx, c, s.filter, window{-1, -1}); err != nil {
			return nil, err
		}
		if matching, err = s.scored(ctx, c, found); err != nil {
			return nil, err
		}
		all = s.join(matching, near)
	}
	return all, nil
}

// scored reads the chunks that were found by their words.
func (s *searcher) scored(ctx context.Context, c *sql.Conn, found map[int64]float64) ([]*candidate, error) {
	list, err := s.load(ctx, c, slices.Collect(maps.Keys(found)), s.vector)
	for _, k := range list {
		k.bm25 = found[k.id]
		s.hold(k)
	}
	return s.telling(list), err
}

// telling leaves out, of what a prompt is to get, runs that ended before they
// did anything. A person who searches sees them.
func (s *searcher) telling(list []*candidate) []*candidate {
	if !s.q.Gate {
		return list
	}
	return slices.DeleteFunc(list, func(k *candidate) bool { return k.idle })
}

// join adds to the chunks that match those near in meaning that do not.
func (s *searcher) join(matching, near []*candidate) []*candidate {
	all := slices.Clip(matching)
	known := make(map[int64]bool, len(matching))
	for _, k := range matching {
		known[k.id] = true
	}
	for _, k := range near {
		if !known[k.id] {
			s.hold(k)
			all = append(all, k)
		}
	}
	return all
}

// near returns the chunks nearest in meaning, with their cosines.
func (s *searcher) near(ctx context.Context, c *sql.Conn) ([]*candidate, error) {
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

// addDated adds the best of the period that the query names.
func (s *searcher) addDated(ctx context.Context, c *sql.Conn, found map[int64]float64) error {
	if s.period == nil || s.plan.match == "" {
		return nil
	}
	more, err := s.byKeyword(ctx, c, narrowed(s.filter, *s.period), window{scored: s.r.Scored, best: 2 * s.q.Limit})
	maps.Copy(found, more)
	return err
}

// load reads chunks, with the cosines of their vectors and q unless that is
// nil.
func (s *searcher) load(ctx context.Context, c *sql.Conn, ids []int64, q []float32) ([]*candidate, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	vector, join := `NULL`, ``
	if q != nil {
		vector, join = `e.v`, ` LEFT JOIN embeddings e ON e.hash=c.embedding`
	}
	list := make([]*candidate, 0, len(ids))
	err := each(ctx, c, func(scan scan) error {
		k := &candidate{}
		list = append(list, k)
		var packed sql.RawBytes
		if err := scan(&k.id, &k.path, &k.included, &k.entry, &k.kind, &k.heading, &k.ns, &k.source, &k.start, &k.stop, &k.date, &k.zone,
			&k.commits, &k.paths, &k.terms, &k.importance, &k.pinned, &k.undone, &k.idle, &packed); err != nil {
			return err
		}
		return k.compare(q, packed)
	}, `SELECT c.id, f.path, f.included, c.entry, c.kind, c.heading, c.ns, c.source, c.start, c.stop, c.date, c.zone, c.commits, c.paths, c.terms,
			c.importance, c.pinned, c.undone, c.idle, `+vector+`
		FROM chunks c JOIN files f ON f.id=c.file`+join+` WHERE c.id IN (`+idList(ids)+`)`)
	if err != nil {
		return nil, err
	}
	if len(list) != len(ids) {
		return nil, fmt.Errorf("%w: a word leads to a text that is not there", errDamaged)
	}
	return list, nil
}

// compare gives a candidate its cosine. packed is empty when its vector is not
// made yet, or its text has none.
func (k *candidate) compare(q []float32, packed []byte) error {
	if len(packed) == 0 {
		return nil
	}
	if len(packed) != quantized.Size(len(q)) {
		return fmt.Errorf("%w: a vector has %d bytes", errBlocks, len(packed))
	}
	k.cosine, k.embedded = quantized.Cosine(q, packed), true
	return nil
}

// thing names what a hit stands for: an entry, with the facts that were moved
// out of it, or a section of hand-written text; text below no heading stands
// for itself, and so do a fact of a namespace and what MEMORY.md lists, where
// one heading may stand above a hundred facts.
func (k *candidate) thing() string {
	switch {
	case k.source != "":
		return k.source
	case k.entry != "" && k.ns == "":
		return k.entry
	case k.heading == "" || k.ns != "" || k.pinned:
		return fmt.Sprintf("%s\x00%d", k.path, k.start)
	}
	return k.path + "\x00" + k.heading
}

// things keeps the first candidate of each thing, and has it know of the
// others.
func things(found []*candidate) []*candidate {
	seen := make(map[string]*candidate, len(found))
	kept := make([]*candidate, 0, len(found))
	for _, k := range found {
		t := k.thing()
		if first := seen[t]; first != nil {
			first.titles += "\n" + k.heading
			if first.source != "" && first.origin == nil && k.source == "" {
				first.origin = k
			}
			continue
		}
		k.titles, k.origin = k.heading, nil
		seen[t] = k
		kept = append(kept, k)
	}
	return kept
}

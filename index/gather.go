package index

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
)

// candidate is a chunk that may become a hit, with all that its score
// depends on.
type candidate struct {
	id          int64
	bm25        float64 // higher is better; 0 when no word matches
	path        string
	entry, kind string
	heading     string
	start, stop int
	date, zone  *int64
	commits     []byte
	paths       []byte
	terms       []byte
	importance  float64
	pinned      bool
	included    bool

	held                           // of the query
	judged                 float64 // what judgements leave of the relevance: see judge
	keyword, decay, weight float64 // parts of relevance
	gone                   bool
	relevance              float64
	files                  float64 // what its paths added when it was picked
	score                  float64
}

// window says how many chunks are scored, newest first, and how many of the
// best of them are returned; -1 means all.
type window struct{ scored, best int }

// gather returns the candidates: the best by keywords that pass the filter.
func (s *searcher) gather(ctx context.Context, c *sql.Conn) ([]*candidate, error) {
	w := window{scored: s.r.Scored, best: max(s.r.Candidates, 2*s.q.Limit)}
	found, err := s.byKeyword(ctx, c, w)
	if err != nil {
		return nil, err
	}
	full := len(found) == w.best
	all, err := s.load(ctx, c, found)
	// A filter, or one long entry, may have left too few of the best: then
	// look at all.
	if err == nil && (full || !s.filter.none()) && s.room(all) < s.q.Limit {
		if found, err = s.byKeyword(ctx, c, window{-1, -1}); err == nil {
			all, err = s.load(ctx, c, found)
		}
	}
	return all, err
}

// byKeyword returns the best matching chunks that pass the filter, by id.
// MATCH stands in a subquery of its own: joined with a filter, SQLite would
// run it once a row.
func (s *searcher) byKeyword(ctx context.Context, c *sql.Conn, w window) (map[int64]float64, error) {
	matching := `SELECT rowid AS id, bm25(fts, 1.0, 1.0, ?) AS s FROM fts WHERE fts MATCH ? ORDER BY rowid DESC LIMIT ?`
	query := `SELECT id, s FROM (` + matching + `) ORDER BY s, id DESC LIMIT ?`
	args := []any{s.r.FilesWeight, s.plan.match, w.scored}
	if !s.filter.none() {
		where, more := s.filter.sql()
		query = `SELECT m.id, m.s FROM (` + matching + `) m LEFT JOIN chunks c ON c.id=m.id LEFT JOIN files f ON f.id=c.file
			WHERE c.id IS NULL OR ` + where + ` ORDER BY m.s, m.id DESC LIMIT ?`
		args = append(args, more...)
	}
	rows, err := c.QueryContext(ctx, query, append(args, w.best)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := map[int64]float64{}
	for rows.Next() {
		var id int64
		var score float64
		if err := rows.Scan(&id, &score); err != nil {
			return nil, err
		}
		found[id] = -score
	}
	return found, rows.Err()
}

// load reads the chunks that were found.
func (s *searcher) load(ctx context.Context, c *sql.Conn, found map[int64]float64) ([]*candidate, error) {
	if len(found) == 0 {
		return nil, nil
	}
	rows, err := c.QueryContext(ctx, `
		SELECT c.id, f.path, f.included, c.entry, c.kind, c.heading, c.start, c.stop, c.date, c.zone, c.commits, c.paths, c.terms,
			c.importance, c.pinned
		FROM chunks c JOIN files f ON f.id=c.file WHERE c.id IN (`+idList(found)+`)`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	list := make([]*candidate, 0, len(found))
	for rows.Next() {
		k := &candidate{}
		if err := rows.Scan(&k.id, &k.path, &k.included, &k.entry, &k.kind, &k.heading, &k.start, &k.stop, &k.date, &k.zone,
			&k.commits, &k.paths, &k.terms, &k.importance, &k.pinned); err != nil {
			return nil, err
		}
		k.bm25 = found[k.id]
		k.held = s.plan.held(k.terms)
		list = append(list, k)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	if len(list) != len(found) {
		return nil, fmt.Errorf("%w: a word leads to a text that is not there", errDamaged)
	}
	return list, nil
}

func idList(found map[int64]float64) string {
	var b strings.Builder
	for id := range found {
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatInt(id, 10))
	}
	return b.String()
}

// thing names what a hit stands for: an entry, or a section of hand-written
// text; text below no heading stands for itself.
func (k *candidate) thing() string {
	switch {
	case k.entry != "":
		return k.entry
	case k.heading == "":
		return fmt.Sprintf("%s\x00%d", k.path, k.start)
	}
	return k.path + "\x00" + k.heading
}

// things keeps the first candidate of each thing.
func things(found []*candidate) []*candidate {
	seen := make(map[string]bool, len(found))
	kept := make([]*candidate, 0, len(found))
	for _, k := range found {
		if t := k.thing(); !seen[t] {
			seen[t] = true
			kept = append(kept, k)
		}
	}
	return kept
}

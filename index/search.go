package index

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"agentflow/memory"
)

// defaultLimit is how many hits a query gets that names no number.
const defaultLimit = 5

// Search returns the hits of a query, best first: at most q.Limit (0: 5), one
// for each entry. No hits is no error. A damaged index is rebuilt from the
// sources of the last Sync and searched then.
func (d *DB) Search(ctx context.Context, q memory.Query) ([]memory.Hit, error) {
	if q.Limit <= 0 {
		q.Limit = defaultLimit
	}
	terms := parseQuery(q.Text, d.o.Ranking.QueryRunes)
	if len(terms) == 0 {
		return nil, nil
	}
	var hits []memory.Hit
	err := d.withFilled(ctx, func(h *handle) error {
		if !h.current() {
			return ErrNotReady
		}
		return read(ctx, h.pool, func(c *sql.Conn) error {
			var err error
			hits, err = search(ctx, c, terms, q, d.o.Ranking)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("searching the index: %w", err)
	}
	return hits, nil
}

func search(ctx context.Context, c *sql.Conn, terms []term, q memory.Query, r Ranking) ([]memory.Hit, error) {
	p, err := measure(ctx, c, terms, r)
	if err != nil || p.match == "" {
		return nil, err
	}
	f := filterOf(q.Filter)
	w := window{scored: r.Scored, best: r.Candidates + 4*q.Limit}
	found, matched, err := candidates(ctx, c, p.match, f, w, r)
	if err != nil {
		return nil, err
	}
	// A filter, or one long entry, may have left too few of the best: then
	// look at all.
	if matched >= w.best && entries(found) < q.Limit {
		if found, _, err = candidates(ctx, c, p.match, f, window{-1, -1}, r); err != nil {
			return nil, err
		}
	}
	rank(found, q, r)
	return pick(ctx, c, found, &p, q, r)
}

// window says how many chunks are scored, newest first, and how many of the
// best of them are returned; -1 means all.
type window struct{ scored, best int }

// candidate is a matching chunk with all that its score depends on.
type candidate struct {
	id          int64
	bm25        float64 // higher is better
	path        string
	entry, kind string
	heading     string
	start, stop int
	date, zone  *int64
	commits     []byte
	importance  float64
	pinned      bool

	keyword, decay, weight float64
	gone                   bool
	score                  float64
}

// candidates returns the best matching chunks that pass the filter, and how
// many matched before it. MATCH stands in a subquery of its own: joined with
// a filter, SQLite would run it once a row.
func candidates(ctx context.Context, c *sql.Conn, match string, f filter, w window, r Ranking) (found []*candidate, matched int, err error) {
	where, args := f.sql()
	rows, err := c.QueryContext(ctx, `
		SELECT m.id, m.s, coalesce(f.path, ''), coalesce(c.entry, ''), coalesce(c.kind, ''), coalesce(c.heading, ''), coalesce(c.start, 0),
			coalesce(c.stop, 0), c.date, c.zone, c.commits, coalesce(c.importance, 0), coalesce(c.pinned, 0), f.id IS NULL, `+where+`
		FROM (SELECT id, s FROM (SELECT rowid AS id, bm25(fts, 1.0, 1.0, ?) AS s FROM fts WHERE fts MATCH ? ORDER BY rowid DESC LIMIT ?)
			ORDER BY s, id DESC LIMIT ?) m
		LEFT JOIN chunks c ON c.id=m.id LEFT JOIN files f ON f.id=c.file`,
		append(args, r.FilesWeight, match, w.scored, w.best)...)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		k := &candidate{}
		var orphan, kept bool
		if err := rows.Scan(&k.id, &k.bm25, &k.path, &k.entry, &k.kind, &k.heading, &k.start, &k.stop, &k.date, &k.zone, &k.commits,
			&k.importance, &k.pinned, &orphan, &kept); err != nil {
			return nil, 0, err
		}
		if orphan {
			return nil, 0, fmt.Errorf("%w: a word leads to a text that is not there", errDamaged)
		}
		k.bm25 = -k.bm25
		matched++
		if kept {
			found = append(found, k)
		}
	}
	return found, matched, rows.Err()
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

func entries(found []*candidate) int {
	seen := map[string]bool{}
	for _, k := range found {
		seen[k.thing()] = true
	}
	return len(seen)
}

// filter is a memory.Filter as SQL over a chunk c.
type filter struct {
	conditions []string
	args       []any
}

func filterOf(m memory.Filter) filter {
	var f filter
	if !m.Since.IsZero() {
		f.add(`c.date >= ?`, ceilUnix(m.Since))
	}
	if !m.Until.IsZero() {
		f.add(`c.date < ?`, ceilUnix(m.Until))
	}
	if m.Kind != "" {
		f.add(`c.kind = ?`, string(m.Kind))
	}
	if m.Type != "" {
		f.add(`instr(c.types, ?) > 0`, list0([]memory.FactType{m.Type}))
	}
	if m.Tag != "" {
		f.add(`instr(c.tags, ?) > 0`, list0([]string{m.Tag}))
	}
	if p := strings.TrimSuffix(m.Path, "/"); p != "" {
		f.add(`(instr(c.paths, ?) > 0 OR instr(c.paths, ?) > 0)`, list0([]string{p}), []byte("\x00"+p+"/"))
	}
	if m.Branch != "" {
		f.add(`c.branch = ?`, m.Branch)
	}
	return f
}

func (f *filter) add(condition string, args ...any) {
	f.conditions = append(f.conditions, condition)
	f.args = append(f.args, args...)
}

func (f *filter) none() bool { return len(f.conditions) == 0 }

func (f *filter) sql() (string, []any) {
	if f.none() {
		return "1", nil
	}
	return "coalesce(" + strings.Join(f.conditions, " AND ") + ", 0)", f.args[:len(f.args):len(f.args)]
}

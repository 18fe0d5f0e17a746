package index

import (
	"database/sql"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"agentflow/index/rank"
	"agentflow/internal/words"
)

// match asks FTS5 for the terms whose chunks are looked up; empty when no chunk
// can match.
func (s *searcher) match() string { return strings.Join(phrases(s.Plan.Used()), " OR ") }

// phrases are terms as FTS5 is asked for them, quoted: a token holds letters,
// digits and '_' only, so nothing in it can end the quotes.
func phrases(terms []rank.Term) []string {
	list := make([]string, len(terms))
	for i, t := range terms {
		list[i] = `"` + words.Stem(t.Text) + `"`
	}
	return list
}

// window says how many chunks are scored, newest first, and how many of the
// best of them are returned; -1 means all.
type window struct{ scored, best int }

// byKeyword returns the best matching chunks that pass the filter, by id.
// MATCH stands in a subquery of its own: joined with a filter, SQLite would
// run it once a row.
func (s *searcher) byKeyword(f filter, w window) map[int64]float64 {
	found := map[int64]float64{}
	if s.match() == "" {
		return found
	}
	matching, args := `SELECT rowid AS id, bm25(fts, 1.0, 1.0, ?) AS s FROM fts WHERE fts MATCH ?`, []any{s.FilesWeight, s.match()}
	if f.none() && w.scored >= 0 {
		if some := s.promising(max(s.Promising, w.best)); some != "" { // '+': else SQLite would run MATCH once for each of them
			matching, args = matching+` AND +rowid IN (SELECT value FROM json_each(?))`, append(args, some)
		}
	}
	if w.scored >= 0 && s.Plan.Leads > w.scored { // backwards takes longer, and is of no use where all are scored
		matching += ` ORDER BY rowid DESC`
	}
	matching, args = matching+` LIMIT ?`, append(args, w.scored)
	query := `SELECT id, s FROM (` + matching + `) ORDER BY s, id DESC LIMIT ?`
	if !f.none() {
		where, more := f.sql()
		query = `SELECT m.id, m.s FROM (` + matching + `) m LEFT JOIN chunks c ON c.id=m.id LEFT JOIN files f ON f.id=c.file
			WHERE c.id IS NULL OR ` + where + ` ORDER BY m.s, m.id DESC LIMIT ?`
		args = append(args, more...)
	}
	s.each(func(scan scan) error {
		var id int64
		var score float64
		err := scan(&id, &score)
		found[id] = -score
		return err
	}, query, append(args, w.best)...)
	return found
}

// promising lists, as JSON, the chunks that hold the most of the query's mass:
// at least n of them, and all that hold as much as the last. Empty stands for
// all that match. To know which words a chunk holds costs a tenth of what BM25
// does.
func (s *searcher) promising(n int) string {
	terms := s.Plan.Used()
	if len(terms) < 2 || s.Plan.Leads <= 2*n {
		return ""
	}
	mass := masses(s.statements, terms, s.Plan.Leads)
	if len(mass) <= n {
		return ""
	}
	all := slices.Sorted(maps.Values(mass))
	least := all[len(all)-n]
	if least == all[0] {
		return ""
	}
	list := []byte{'['}
	for id, m := range mass {
		if m >= least {
			list = append(strconv.AppendInt(list, id, 10), ',')
		}
	}
	list[len(list)-1] = ']'
	return string(list)
}

// masses adds up, for each chunk that holds some of terms, the idf of those;
// they lead to so many chunks.
func masses(s *statements, terms []rank.Term, leads int) map[int64]float64 {
	list, err := json.Marshal(phrases(terms))
	s.fail(err)
	mass := make(map[int64]float64, leads)
	s.each(func(scan scan) error {
		var i int
		var ids sql.NullString
		if err := scan(&i, &ids); err != nil {
			return err
		}
		for id := range strings.FieldsSeq(ids.String) {
			n, err := strconv.ParseInt(id, 10, 64)
			if err != nil {
				return err
			}
			mass[n] += terms[i].IDF
		}
		return nil
	}, `SELECT key, (SELECT group_concat(rowid, ' ') FROM fts WHERE fts MATCH value) FROM json_each(?)`, string(list))
	return mass
}

package sqlite

import (
	"database/sql"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"agentflow/index/store"
)

// quoted quotes the phrases of a query for FTS5. Phrases contain no character
// that could end the quotes.
func quoted(phrases []string) []string {
	list := make([]string, len(phrases))
	for i, p := range phrases {
		list[i] = `"` + p + `"`
	}
	return list
}

// Match runs the query in FTS5. MATCH is in a separate subquery: joined with a
// filter, SQLite would run it once for each row.
func (v *view) Match(m store.Match) map[int64]float64 {
	found := map[int64]float64{}
	if len(m.Terms) == 0 {
		return found
	}
	phrases := quoted(m.Phrases())
	matching, args := `SELECT rowid AS id, bm25(fts, 1.0, 1.0, ?) AS s FROM fts WHERE fts MATCH ?`, []any{m.FilesWeight, strings.Join(phrases, " OR ")}
	if m.Filter.None() && m.Promising > 0 {
		if some := v.promising(m, phrases); some != "" { // without '+' SQLite would run MATCH once for each of them
			matching, args = matching+` AND +rowid IN (SELECT value FROM json_each(?))`, append(args, some)
		}
	}
	if m.Scored >= 0 && m.Leads > m.Scored { // descending order takes longer, and is useless if all are scored
		matching += ` ORDER BY rowid DESC`
	}
	matching, args = matching+` LIMIT ?`, append(args, m.Scored)
	query := `SELECT id, s FROM (` + matching + `) ORDER BY s, id DESC LIMIT ?`
	if !m.Filter.None() {
		where, more := filterOf(m.Filter).sql()
		query = `SELECT m.id, m.s FROM (` + matching + `) m LEFT JOIN chunks c ON c.id=m.id LEFT JOIN files f ON f.id=c.file
			WHERE c.id IS NULL OR ` + where + ` ORDER BY m.s, m.id DESC LIMIT ?`
		args = append(args, more...)
	}
	v.each(func(scan scan) error {
		var id int64
		var score float64
		err := scan(&id, &score)
		found[id] = -score
		return err
	}, query, append(args, m.Best)...)
	return found
}

// promising lists, as a JSON array, the chunks that hold the largest part of
// the query. "" means all chunks that match. Finding which words a chunk holds
// costs a tenth of computing BM25.
func (v *view) promising(m store.Match, phrases []string) string {
	if len(phrases) < 2 || m.Leads <= 2*m.Promising {
		return ""
	}
	mass := v.masses(m, phrases)
	if len(mass) <= m.Promising {
		return ""
	}
	all := slices.Sorted(maps.Values(mass))
	least := all[len(all)-m.Promising]
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

// masses returns, for each chunk that holds a term of the query, the sum of the
// IDF of these terms.
func (v *view) masses(m store.Match, phrases []string) map[int64]float64 {
	list, err := json.Marshal(phrases)
	v.Fail(err)
	mass := make(map[int64]float64, m.Leads)
	v.each(func(scan scan) error {
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
			mass[n] += m.Terms[i].IDF
		}
		return nil
	}, `SELECT key, (SELECT group_concat(rowid, ' ') FROM fts WHERE fts MATCH value) FROM json_each(?)`, string(list))
	return mass
}

// Holding returns the newest n chunks that hold a stem.
func (v *view) Holding(stem string, n int) []int64 {
	return listOf[int64](v.statements, `SELECT rowid FROM fts WHERE fts MATCH ? ORDER BY rowid DESC LIMIT ?`, `"`+stem+`"`, n)
}

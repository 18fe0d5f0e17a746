package postgres

import (
	"fmt"
	"maps"
	"slices"

	"agentflow/index/quantized"
	"agentflow/index/rank"
	"agentflow/index/stems"
	"agentflow/index/store"
	"agentflow/memory/digest"

	"github.com/jackc/pgx/v5"
)

// view is a read transaction.
type view struct {
	failing
	tx   pgx.Tx
	s    *Store
	live []meta // the indexes that are read
}

// look reads the rows of the indexes to read.
func (v *view) look(id int) {
	query, args := `SELECT `+metaColumns+` FROM indexes WHERE id=$1`, []any{id}
	if id == 0 {
		query, args = `SELECT `+metaColumns+` FROM indexes WHERE live ORDER BY id`, nil
	}
	v.each(func(scan func(...any) error) error {
		var m meta
		err := scan(m.into()...)
		v.live = append(v.live, m)
		return err
	}, query, args...)
}

// each runs f for each row of a query.
func (v *view) each(f func(scan func(...any) error) error, query string, args ...any) {
	if v.err != nil {
		return
	}
	v.Fail(each(v.ctx, v.tx, f, query, args...))
}

// listOf reads the only column of a query.
func listOf[T any](v *view, query string, args ...any) (list []T) {
	v.each(func(scan func(...any) error) error {
		var one T
		err := scan(&one)
		list = append(list, one)
		return err
	}, query, args...)
	return list
}

// table returns the name of the table to read. The own table of a single index
// is planned faster than the table of all indexes.
func (v *view) table(name string) string {
	if len(v.live) == 1 {
		return v.live[0].table(name)
	}
	return name
}

// indexes returns the ids of the indexes that are read.
func (v *view) indexes() []int {
	ids := make([]int, len(v.live))
	for i, m := range v.live {
		ids[i] = m.id
	}
	return ids
}

func (v *view) corpus() (c corpus) {
	for _, m := range v.live {
		c.documents += m.chunks
		c.tokens += m.tokens
	}
	return c
}

// WillSearch does nothing.
func (v *view) WillSearch() {}

// Edition names the generations and how often each was written.
func (v *view) Edition() (name string) {
	for _, m := range v.live {
		name += fmt.Sprintf("%d %d %d %d,", m.id, m.writes, m.vectors.Number, m.vectors.Cached)
	}
	return name
}

// Chunks returns the number of chunks.
func (v *view) Chunks() int { return int(v.corpus().documents) }

// Count sets how many documents hold each stem.
func (v *view) Count(numbers map[uint32]int) {
	of := map[uint32][]uint32{}
	var buckets []int32
	for h := range numbers {
		id := stems.BucketOf(h)
		if of[id] == nil {
			buckets = append(buckets, int32(id))
		}
		of[id] = append(of[id], h)
	}
	v.each(func(scan func(...any) error) error {
		var id int32
		var counts []byte
		if err := scan(&id, &counts); err != nil {
			return err
		}
		if err := stems.Bucket(counts).Check(); err != nil {
			return fmt.Errorf("%w: %w", store.ErrDamaged, err)
		}
		for _, h := range of[uint32(id)] {
			numbers[h] += stems.Bucket(counts).Count(h)
		}
		return nil
	}, `SELECT bucket, counts FROM `+v.table("df")+` WHERE index=ANY($1) AND bucket=ANY($2)`, v.indexes(), buckets)
}

// Match scores the postings of a query's terms.
func (v *view) Match(m store.Match) map[int64]float64 {
	if len(m.Terms) == 0 {
		return map[int64]float64{}
	}
	hashes := make([]uint32, len(m.Terms))
	for i, phrase := range m.Phrases() {
		hashes[i] = stems.Hash(phrase)
	}
	all := v.postings(hashes)
	if v.err != nil {
		return map[int64]float64{}
	}
	var passing func([]int64) []int64
	if !m.Filter.None() {
		passing = func(ids []int64) []int64 { return v.Passing(ids, m.Filter) }
	}
	found, err := scorer{v.corpus(), m.FilesWeight}.match(m, all, passing)
	if err != nil {
		v.Fail(fmt.Errorf("%w: %w", store.ErrDamaged, err))
	}
	return found
}

// postings returns the blocks of some terms. The blocks of a repeated term
// occur repeatedly.
func (v *view) postings(hashes []uint32) blocks {
	at, terms := map[int32][]int{}, make([]int32, len(hashes))
	for i, h := range hashes {
		terms[i] = int32(h)
		at[int32(h)] = append(at[int32(h)], i)
	}
	all := blocks{}
	v.each(func(scan func(...any) error) error {
		var term int32
		var block int64
		var data []byte
		if err := scan(&term, &block, &data); err != nil {
			return err
		}
		c, err := open(data)
		if err != nil {
			return fmt.Errorf("%w: %w", store.ErrDamaged, err)
		}
		for _, i := range at[term] {
			all[block] = append(all[block], termPostings{i, c})
		}
		return nil
	}, `SELECT term, block, data FROM `+v.table("postings")+` WHERE index=ANY($1) AND term=ANY($2)`, v.indexes(), terms)
	for _, terms := range all { // so that sums do not depend on the order of rows
		slices.SortFunc(terms, func(a, b termPostings) int { return a.term - b.term })
	}
	return all
}

// Holding returns the newest n documents that hold a stem.
func (v *view) Holding(stem string, n int) (ids []int64) {
	all := v.postings([]uint32{stems.Hash(stem)})
	for _, block := range slices.Backward(slices.Sorted(maps.Keys(all))) {
		var some []int64
		v.Fail(all[block][0].documents(func(place int) { some = append(some, block<<blockBits+int64(place)) }))
		slices.Reverse(some)
		if ids = append(ids, some...); len(ids) >= n {
			return ids[:n]
		}
	}
	return ids
}

// Load reads chunks as candidates.
func (v *view) Load(ids []int64, q []float32) []*rank.Candidate {
	if len(ids) == 0 || v.err != nil {
		return nil
	}
	vector, join := `NULL::bytea`, ``
	if q != nil {
		vector, join = `e.v`, ` LEFT JOIN `+v.table("vectors")+` e ON e.index=c.index AND e.hash=c.hash`
	}
	list := make([]*rank.Candidate, 0, len(ids))
	v.each(func(scan func(...any) error) error {
		k := &rank.Candidate{}
		list = append(list, k)
		var packed []byte
		if err := scan(&k.ID, &k.Path, &k.Included, &k.Author, &k.Entry, &k.Kind, &k.Heading, &k.Namespace, &k.Source, &k.Start, &k.Stop, &k.Date, &k.Zone,
			&k.Commits, &k.Paths, &k.Stems, &k.Importance, &k.Pinned, &k.Undone, &k.Idle, &k.ByTool, &k.Person, &packed); err != nil {
			return err
		}
		if len(packed) == 0 { // its vector is not made yet, or its text has no vector
			return nil
		}
		if len(packed) != quantized.Size(len(q)) {
			return fmt.Errorf("%w: a vector has %d bytes", store.ErrVectors, len(packed))
		}
		k.Cosine, k.Embedded = quantized.Cosine(q, packed), true
		return nil
	}, `SELECT c.id, f.path, f.included, f.author, c.entry, c.kind, c.heading, c.ns, c.source, c.start, c.stop, c.date, c.zone, c.commits, c.paths, c.terms,
			c.importance, c.pinned, c.undone, c.idle, c.bytool, c.person, `+vector+`
		FROM `+v.table("chunks")+` c JOIN `+v.table("files")+` f ON f.index=c.index AND f.id=c.file`+join+` WHERE c.index=ANY($1) AND c.id=ANY($2)`, v.indexes(), ids)
	if len(list) != len(ids) {
		v.Fail(fmt.Errorf("%w: a word leads to a text that is not there", store.ErrDamaged))
	}
	return list
}

// Text returns the text of a chunk and its place.
func (v *view) Text(id int64) (t store.Text, ok bool) {
	v.each(func(scan func(...any) error) error {
		var text []byte
		err := scan(&t.Key, &t.Ordinal, &t.File, &t.At, &text, &t.Terms, &t.Sum)
		said := string(text)
		t.Size, t.Text, ok = len(text), &said, true
		return err
	}, `SELECT c.key, c.ordinal, f.path, c.at, c.text, c.terms, c.sum FROM `+v.table("chunks")+` c JOIN `+v.table("files")+` f ON f.index=c.index AND f.id=c.file
		WHERE c.index=ANY($1) AND c.id=$2`, v.indexes(), id)
	return t, ok
}

// Passing returns the chunks that pass the filter.
func (v *view) Passing(ids []int64, filtered store.Filter) []int64 {
	if filtered.None() || len(ids) == 0 {
		return ids
	}
	f := filterOf(filtered, v.indexes(), ids)
	return listOf[int64](v, `SELECT c.id FROM `+v.table("chunks")+` c JOIN `+v.table("files")+` f ON f.index=c.index AND f.id=c.file
		WHERE c.index=ANY($1) AND c.id=ANY($2) AND `+f.sql(), f.args...)
}

// Entries returns the newest entries of a period, and hand-written chunks of
// its days.
func (v *view) Entries(p store.Period, filtered store.Filter, n int) (ids []int64) {
	for _, kind := range []struct {
		is       string
		from, to int64
	}{
		{`c.ordinal=0 AND c.entry<>'' AND c.source=''`, store.CeilUnix(p.From), store.CeilUnix(p.To)},
		{`c.entry='' AND c.date IS NOT NULL AND NOT f.included`, store.CeilUnix(store.AsDay(p.From)), store.CeilUnix(store.AsDay(p.To))},
	} {
		f := filterOf(filtered, v.indexes())
		f.add(`c.date >= ?`, kind.from)
		f.add(`c.date < ?`, kind.to)
		if p.Busy {
			f.add(`NOT c.idle`)
		}
		ids = append(ids, listOf[int64](v, `SELECT c.id FROM `+v.table("chunks")+` c JOIN `+v.table("files")+` f ON f.index=c.index AND f.id=c.file
			WHERE c.index=ANY($1) AND `+kind.is+` AND `+f.sql()+fmt.Sprintf(` ORDER BY c.date DESC, f.path, c.start LIMIT %d`, n), f.args...)...)
	}
	return ids
}

// Vectors describes the stored vectors: of several indexes, only those with
// vectors of this embedder.
func (v *view) Vectors() (all store.Vectors) {
	for _, m := range v.live {
		if len(v.live) > 1 && m.vectors.Embedder != v.s.o.Embedder {
			continue
		}
		all.Embedder = m.vectors.Embedder
		all.Dimensions = max(all.Dimensions, m.vectors.Dimensions)
		all.Number += m.vectors.Number
		all.Cached += m.vectors.Cached
	}
	return all
}

// Namespaces returns the namespaces of facts.
func (v *view) Namespaces() []string {
	return listOf[string](v, `SELECT DISTINCT ns FROM `+v.table("chunks")+` WHERE index=ANY($1) AND ns<>''`, v.indexes())
}

// Brought reports whether the index has a file that came with the repository.
func (v *view) Brought() bool {
	return len(listOf[int](v, `SELECT 1 FROM `+v.table("files")+` WHERE index=ANY($1) AND starts_with(path, '//') LIMIT 1`, v.indexes())) > 0
}

// Judgements calls f with all judgements.
func (v *view) Judgements(f func(store.Judgement)) {
	v.each(func(scan func(...any) error) error {
		var j store.Judgement
		err := scan(&j.Entry, &j.Terms)
		f(j)
		return err
	}, `SELECT entry, terms FROM `+v.table("judgements")+` WHERE index=ANY($1)`, v.indexes())
}

// Named returns the files that hold an item with one of these names.
func (v *view) Named(names []digest.Name) []int64 {
	return listOf[int64](v, `SELECT file FROM `+v.table("names")+` WHERE index=ANY($1) AND name=ANY($2)`, v.indexes(), names)
}

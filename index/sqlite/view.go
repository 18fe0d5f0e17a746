package sqlite

import (
	"database/sql"
	"fmt"

	"agentflow/index/quantized"
	"agentflow/index/rank"
	"agentflow/index/store"
	"agentflow/memory/digest"
)

// view is a read transaction.
type view struct {
	*statements
	h *handle
}

// WillSearch enlarges the cache of pages for later searches, which read the
// same pages again. The first search reads each page about once and gets a
// small cache.
func (v *view) WillSearch() {
	cache := searchCache
	if !v.h.searchedBefore.Swap(true) {
		cache = firstSearchCache
	}
	v.Fail(keepInMemory(v.ctx, v.c, cache))
}

// Edition combines the version of the schema with the counters in meta.
func (v *view) Edition() (name string) {
	var tables int64
	var meta string
	if v.err == nil {
		v.Fail(v.c.QueryRowContext(v.ctx, `SELECT (SELECT schema_version FROM pragma_schema_version), group_concat(quote(value)) FROM meta WHERE key<>'digest'`).Scan(&tables, &meta))
	}
	return fmt.Sprintf("%d %s", tables, meta)
}

// Chunks returns the number of chunks.
func (v *view) Chunks() (n int) {
	v.one([]any{&n}, `SELECT value FROM meta WHERE key='chunks'`)
	return n
}

// Vectors describes the stored vectors.
func (v *view) Vectors() store.Vectors { return v.vectors() }

// Load reads chunks as candidates.
func (v *view) Load(ids []int64, q []float32) []*rank.Candidate {
	if len(ids) == 0 || v.err != nil {
		return nil
	}
	vector, join := `NULL`, ``
	if q != nil {
		vector, join = `e.v`, ` LEFT JOIN embeddings e ON e.id=c.embedding`
	}
	list := make([]*rank.Candidate, 0, len(ids))
	v.each(func(scan scan) error {
		k := &rank.Candidate{}
		list = append(list, k)
		var commits, paths, packed sql.RawBytes
		if err := scan(&k.ID, &k.Path, &k.Included, &k.Author, &k.Entry, &k.Kind, &k.Heading, &k.Namespace, &k.Source, &k.Start, &k.Stop, &k.Date, &k.Zone,
			&commits, &paths, &k.Stems, &k.Importance, &k.Pinned, &k.Undone, &k.Idle, &k.ByTool, &k.Person, &packed); err != nil {
			return err
		}
		k.Commits, k.Paths = store.SplitList(commits), store.SplitList(paths)
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
		FROM chunks c JOIN files f ON f.id=c.file`+join+` WHERE c.id IN (`+idList(ids)+`)`)
	if len(list) != len(ids) {
		v.Fail(fmt.Errorf("%w: a word leads to a text that is not there", store.ErrDamaged))
	}
	return list
}

// Text returns the place of a chunk's text.
func (v *view) Text(id int64) (t store.Text, ok bool) {
	ok = v.row([]any{&t.Key, &t.Ordinal, &t.File, &t.At, &t.Size, &t.Text, &t.Terms, &t.Sum},
		`SELECT c.key, c.ordinal, f.path, c.at, c.size, c.text, c.terms, c.sum FROM chunks c JOIN files f ON f.id=c.file WHERE c.id=?`, id)
	return t, ok
}

// Passing returns the chunks that pass the filter.
func (v *view) Passing(ids []int64, f store.Filter) []int64 {
	if f.None() || len(ids) == 0 {
		return ids
	}
	where, args := filterOf(f).sql()
	return listOf[int64](v.statements, `SELECT c.id FROM chunks c JOIN files f ON f.id=c.file WHERE c.id IN (`+idList(ids)+`) AND `+where, args...)
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
		f := filterOf(filtered)
		f.add(`c.date >= ?`, kind.from)
		f.add(`c.date < ?`, kind.to)
		if p.Busy {
			f.add(`NOT c.idle`)
		}
		where, args := f.sql()
		ids = append(ids, listOf[int64](v.statements, `SELECT c.id FROM chunks c JOIN files f ON f.id=c.file
			WHERE `+kind.is+` AND `+where+` ORDER BY c.date DESC, f.path, c.start LIMIT ?`, append(args, n)...)...)
	}
	return ids
}

// Namespaces returns the namespaces of facts.
func (v *view) Namespaces() []string {
	return listOf[string](v.statements, `SELECT DISTINCT ns FROM chunks WHERE ns<>''`)
}

// Brought reports whether the index has a file that came with the repository.
func (v *view) Brought() bool {
	return len(listOf[int](v.statements, `SELECT 1 FROM files WHERE path>='//' AND path<'/0' LIMIT 1`)) > 0
}

// Judgements calls f with all judgements.
func (v *view) Judgements(f func(store.Judgement)) {
	v.each(func(scan scan) error {
		var j store.Judgement
		err := scan(&j.Entry, &j.Terms)
		f(j)
		return err
	}, `SELECT entry, terms FROM judgements`)
}

// Named returns the files that hold an item with one of these names.
func (v *view) Named(names []digest.Name) []int64 {
	return listOf[int64](v.statements, `SELECT file FROM names WHERE name IN (`+idList(names)+`)`)
}

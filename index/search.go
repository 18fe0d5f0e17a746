package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"agentflow/index/dateparse"
	"agentflow/index/files"
	"agentflow/index/quantized"
	"agentflow/index/question"
	"agentflow/index/rank"
	"agentflow/index/sources"
	"agentflow/index/stems"
	"agentflow/index/store"
	"agentflow/memory"
	"agentflow/memory/retrieval"
)

// defaultLimit limits the hits for a query without a limit.
const defaultLimit = 5

// Search returns the hits of a query, best first: at most q.Limit (0 means 5),
// one for each entry. It is not an error if there are none. A damaged index is
// first rebuilt from the sources of the last Sync.
func (d *DB) Search(ctx context.Context, q retrieval.Query) ([]retrieval.Hit, error) {
	a, err := d.Ask(ctx, q)
	return a.Hits, err
}

// Ask is Search, but returns the whole Answer.
func (d *DB) Ask(ctx context.Context, q retrieval.Query) (Answer, error) {
	a, _, err := d.asked(ctx, q)
	return a, err
}

// asked also returns the edition that it searched, or the zero edition if there
// was nothing to search for.
func (d *DB) asked(ctx context.Context, q retrieval.Query) (a Answer, of edition, err error) {
	if q.Limit <= 0 {
		q.Limit = defaultLimit
	}
	s := searcher{db: d, sources: d.from(), Search: rank.Search{Ranking: d.o.Ranking, Query: q}, filter: store.Filter{Filter: q.Filter}}
	terms := s.within(rank.Beginning(q.Text, s.Search.QueryRunes))
	if len(terms) > 0 || s.period == nil {
		s.embed(ctx)
	}
	if len(terms) == 0 && s.vector == nil && s.period == nil {
		return a, of, nil
	}
	err = d.view(ctx, func(h store.Handle, v store.View) error {
		v.WillSearch()
		s.ctx, s.view, of = ctx, v, edition{h, v.Edition()}
		if v.Err() == nil {
			a = s.search(terms)
			a.Hits = s.withCommits(a.Hits)
		}
		return v.Err()
	})
	if err != nil {
		return Answer{}, of, fmt.Errorf("searching the index: %w", err)
	}
	return a, of, nil
}

// searcher is the state of one search.
type searcher struct {
	Search  rank.Search
	ctx     context.Context
	view    store.View
	db      *DB
	sources []Source // sources that texts are read from
	filter  store.Filter
	period  *dateparse.Period // the period that the query names; nil if none
	vector  []float32         // of the query; nil means keywords only
	task    *files.Query
	cut     map[string][]store.Row // current chunks of the files that were read, by name
}

// embed makes the query's vector and sets its share of the ranking.
func (s *searcher) embed(ctx context.Context) {
	var why string
	if s.vector, why = s.db.queryVector(ctx, s.Search.Query.Text); why != "" {
		s.db.o.Lacking(why)
	}
	if s.vector != nil {
		s.Search.VectorShare = s.db.o.Embedder.Info().Weight
	}
}

func (s *searcher) search(terms []rank.Term) (a Answer) {
	chunks := lookUp(s.view, terms)
	read := question.Read(s.Search.Query.Text)
	contents := s.contents(read, terms)
	newest := s.readWindow(read, contents)
	terms = s.correct(terms)
	for i := range terms {
		terms[i].Elsewhere = terms[i].Elsewhere || s.Search.Query.Beside
	}
	s.Search.Plan = rank.Choose(terms, chunks, s.Search.Ranking)
	found, byDate := s.find()
	window := newest()
	if s.view.Err() != nil || len(found) == 0 && s.Search.Query.Files == 0 {
		return a
	}
	s.judge(found)
	s.Search.Weigh(found)
	found = s.Search.Distinct(found)
	if byDate {
		a.Hits = s.hits(rank.Newest(found, s.Search.Query.Limit))
		return a
	}
	ranked := s.rankFiles(window, found, contents)
	if s.Search.Query.Task {
		found = s.withLikely(found, ranked)
	}
	s.Search.Know(found, ranked.Likeliest(), contents != nil)
	if s.db.o.Known != nil {
		s.db.o.Known(s.Search.Known)
	}
	a.Files = s.likelyFiles(ranked)
	titled := s.Search.Titled(found)
	picked := s.Search.Pick(s.gated(found), ranked.Weight)
	agree(picked, ranked)
	if s.Search.Query.Sure {
		s.titles(picked, read)
	}
	a.Hits = s.hits(s.Search.Lead(titled, s.useful(picked, a.Files)))
	return a
}

// gated drops noise if the query asks for the gate.
func (s *searcher) gated(found []*rank.Candidate) []*rank.Candidate {
	if !s.Search.Query.Gate {
		return found
	}
	return s.Search.Gate(found)
}

// useful sets the chance that each hit is useful, and drops the others if the
// query asks for the gate. Files are shown only if a hit is likely to be useful, even if
// that hit matches too few words to be shown.
func (s *searcher) useful(picked []*rank.Candidate, likely []retrieval.LikelyFile) []*rank.Candidate {
	useful := s.Search.Useful(picked)
	switch {
	case !s.Search.Query.Gate:
		return picked
	case !s.Search.Query.Sure:
		return useful
	}
	sure, some := s.Search.Sure(useful, func(path string) bool {
		return slices.ContainsFunc(likely, func(f retrieval.LikelyFile) bool { return f.Sure && f.Path == path })
	})
	if !some {
		unsure(likely)
		return sure
	}
	s.task.Settle(likely, func(path string) bool {
		return slices.ContainsFunc(sure, func(k *rank.Candidate) bool { return slices.Contains(k.Paths, path) })
	})
	return sure
}

// narrow reads from the index which chunks the search may use: the namespaces
// that count, and whether the query's vector is comparable with the stored
// ones. If it is not, the search uses keywords only.
func (s *searcher) narrow() {
	s.filter.Own = s.Search.Query.Own && s.view.Brought()
	// Most indexes have no facts in other namespaces, and search faster without
	// this filter.
	s.filter.Namespaces = s.Search.Query.Namespaces
	if only := s.Search.Query.Filter.Namespace; only != "" {
		s.filter.Namespaces = []string{only}
	}
	s.filter.Namespaced = slices.ContainsFunc(s.view.Namespaces(), func(ns string) bool { return !slices.Contains(s.filter.Namespaces, ns) })
	if s.vector == nil {
		return
	}
	m := s.view.Vectors()
	if m.Number == 0 || m.Embedder != embedderKey(s.db.o) {
		s.vector = nil
		return
	}
	if err := quantized.Check(s.vector, m.Dimensions); err != nil {
		s.db.o.Lacking(fmt.Sprintf("searched by keywords only: %v%s", err, otherModel(m.Dimensions, s.vector)))
		s.vector = nil
	}
}

// lookUp sets the number of chunks that hold each term, and returns the number
// of all chunks.
func lookUp(v store.View, terms []rank.Term) (chunks int) {
	chunks = v.Chunks()
	numbers := make(map[uint32]int, len(terms))
	for _, t := range terms {
		numbers[t.Hash] = 0
	}
	v.Count(numbers)
	for i := range terms {
		terms[i].DF = numbers[terms[i].Hash]
	}
	return chunks
}

// Evidence measures how much a text has in common with a query.
type Evidence struct {
	Words float64 // weight of the words that both contain, as the gate measures it
	About float64 // chance that the text is about the query, 0 to 1
}

// Evidence measures for each text what it has in common with the query. The
// texts need not be indexed: the index only supplies the weights of the words.
func (d *DB) Evidence(ctx context.Context, query string, texts []string) ([]Evidence, error) {
	list := make([]Evidence, len(texts))
	terms := rank.Terms(rank.Beginning(query, d.o.Ranking.QueryRunes))
	if len(texts) == 0 || len(terms) == 0 {
		return list, nil
	}
	err := d.view(ctx, func(_ store.Handle, v store.View) error {
		p := rank.Choose(terms, lookUp(v, terms), d.o.Ranking)
		for i, text := range texts {
			held := p.Held(stems.Of(text))
			list[i] = Evidence{Words: held.Evidence, About: p.About(held)}
		}
		v.Fail(ctx.Err())
		return v.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("weighing facts: %w", err)
	}
	return list, nil
}

// hits converts the picked candidates.
func (s *searcher) hits(picked []*rank.Candidate) []retrieval.Hit {
	list := make([]retrieval.Hit, len(picked))
	for i, k := range picked {
		if list[i] = s.hit(k); k.Origin != nil {
			k.Origin.Score, k.Origin.Chance = k.Score, k.Chance
			origin := s.hit(k.Origin)
			list[i].Origin = &origin
		}
	}
	return list
}

// hit converts one candidate.
func (s *searcher) hit(k *rank.Candidate) retrieval.Hit {
	text := s.text(k)
	path, untrusted := sources.CutUntrusted(k.Path)
	return retrieval.Hit{
		Path: path, FromRepository: untrusted, StartLine: k.Start, EndLine: k.Stop, Heading: k.Heading, Date: store.DateOf(k.Date, k.Zone),
		Commits: append([]string{}, k.Commits...), Kind: memory.Kind(k.Kind), Score: k.Chance, RankScore: k.Score, Importance: cmp.Or(k.Importance, memory.PlainImportance), Text: text, EntryID: k.Entry, Source: k.Source,
		Namespace: k.Namespace, Missing: s.missing(k.Paths), Gone: k.Gone, Undone: k.Undone, ByTool: k.ByTool, Author: k.Author, Person: k.Person,
		Explain: &retrieval.Explain{BM25: k.BM25, Keyword: k.Keyword, Vector: k.Vector, Decay: k.Decay, Importance: k.Weight, Files: k.Files, Likely: k.Agrees, Known: s.Search.Known.Chance(), Chance: k.Chance, Judgement: k.Judged,
			Evidence: k.Evidence, Mass: k.Mass, Title: k.TitleHeld, Terms: append([]string{}, k.Terms...), Named: append([]string{}, k.Named...)},
	}
}

// missing returns the paths that are not in the work tree.
func (s *searcher) missing(paths []string) (gone []string) {
	if s.Search.Query.Exists == nil {
		return nil
	}
	for _, path := range paths {
		if !s.Search.Query.Exists(path) {
			gone = append(gone, path)
		}
	}
	return gone
}

// AskListed does the same as SyncSome and Ask in less time. The index is nearly
// always up to date with the listing, so it is searched before the listing is
// complete, and again only if something was written since. If the previous
// search found that the index had been written to, AskListed syncs first.
// report and syncErr are from the sync; a failed sync does not prevent the
// search.
func (d *DB) AskListed(ctx context.Context, l *Listing, q retrieval.Query) (a Answer, report SyncReport, syncErr, err error) {
	d.readFrom(l.Sources())
	if d.changing.Load() {
		report, syncErr = d.SyncInTime(ctx, l)
		a, err = d.noting(ctx, q)
		return a, report, syncErr, err
	}
	a, of, err := d.asked(ctx, q)
	report, syncErr = d.SyncInTime(ctx, l)
	if err == nil && d.stillIs(ctx, of) {
		d.last.Store(&of)
		return a, report, syncErr, nil
	}
	again, failed := d.noting(ctx, q)
	if failed != nil && err == nil && ctx.Err() != nil {
		return a, report, syncErr, nil // there is no time for more
	}
	return again, report, syncErr, failed
}

// SyncInTime is SyncSome limited to half of the time until the deadline of ctx,
// which leaves the rest for a search. Running out of time is not an error: the
// next Sync continues.
func (d *DB) SyncInTime(ctx context.Context, l *Listing) (SyncReport, error) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return d.SyncSome(ctx, l)
	}
	short, cancel := context.WithTimeout(ctx, time.Until(deadline)/2)
	defer cancel()
	report, err := d.SyncSome(short, l)
	if errors.Is(short.Err(), context.DeadlineExceeded) {
		err = nil
	}
	return report, err
}

// AskHeld is Ask on the index as it is, without a sync, unless the index is
// empty. It syncs an empty index first; report and syncErr are from that sync.
func (d *DB) AskHeld(ctx context.Context, l *Listing, q retrieval.Query) (a Answer, report SyncReport, syncErr, err error) {
	d.readFrom(l.Sources())
	chunks := 0
	err = d.view(ctx, func(_ store.Handle, v store.View) error {
		chunks = v.Chunks()
		return v.Err()
	})
	if err != nil || chunks == 0 {
		report, syncErr = d.SyncSome(ctx, l)
	}
	a, err = d.Ask(ctx, q)
	return a, report, syncErr, err
}

// noting runs Ask, and records whether the index was written to since the
// previous search.
func (d *DB) noting(ctx context.Context, q retrieval.Query) (Answer, error) {
	a, of, err := d.asked(ctx, q)
	before := d.last.Swap(&of)
	d.changing.Store(before != nil && *before != of)
	return a, err
}

// stillIs reports whether a search would now see this edition.
func (d *DB) stillIs(ctx context.Context, of edition) bool {
	var now edition
	err := d.view(ctx, func(h store.Handle, v store.View) error {
		now = edition{h, v.Edition()}
		return v.Err()
	})
	return err == nil && now == of
}

// Package search asks the index of this memory, of the user's own memory, of other repositories and of the team's
// server at the same time, and merges their hits.
//
// A search takes four steps, each in terms of the next: Search answers a request with a page of a list (pageOf);
// the list grows by wider and wider queries until the page is full (widened); AskAll asks all memories one such
// query, and merges their hits; askMemory asks one memory, after its index is up to date. LikelyFiles, which returns
// the files that a task will probably touch, Find and the operations of other packages begin at AskAll. It also
// gathers the facts for a prompt (package app/standing).
//
// The index is brought up to date with changed files first, unless index.sync_on_change is off. If that takes long,
// the search answers from the files that were read so far and says how many are left. A hit that several memories
// hold is returned once. The scores of another memory count in proportion to the evidence for its best hit. While
// memory is unchanged, the pages of one query neither overlap nor leave out a hit.
//
// If another memory fails, the result names it in Degraded and has the hits of the others. If the context has a
// deadline, Late names the memories that did not answer in time. A team's server gets at most 1.5 s, and is not
// asked for 30 s after it did not answer.
package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/embedding"
	"agentflow/app/highlight"
	"agentflow/app/indexes"
	"agentflow/app/lookup"
	"agentflow/app/standing"
	"agentflow/executor"
	"agentflow/index"
	"agentflow/internal/embedder"
	"agentflow/internal/gather"
	"agentflow/internal/indexpool"
	"agentflow/internal/lists"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/memory/retrieval"
	"agentflow/prompt"
)

// SearchRequest is a search of memory for some words.
type SearchRequest struct {
	Text   string           // the words
	Filter retrieval.Filter // zero values let everything pass
	// Namespaces to search besides the project's: branch (the checked-out one),
	// branch/NAME, run/ID, team or global. If none is given, branch is searched.
	Namespaces []string
	Limit      int         // at most this many hits; 0: search.max_results, or else Default
	Default    int         // at least 1 where Limit is 0
	Offset     int         // leaves out so many of the first; at least 0
	Gate       bool        // only hits that a prompt would get
	Author     string      // only what this person wrote, shared or had stored; empty: of all
	MinScore   *float64    // leaves out hits with a lower Hit.Score, 0 to 1; nil: search.min_score
	Sort       SearchOrder // empty means ByRelevance
	Explain    bool        // keep the parts of each score, in Hit.Explain
	// Typing reports that the words are still being typed. Hits then do not count as
	// used.
	Typing bool
}

// SearchResult is the hits of a search.
type SearchResult struct {
	Hits      []retrieval.Hit       // best first; never nil
	Highlight highlight.Highlighter // of the words, as they were understood
	Degraded  []string              // what did not work, a line each; never nil
}

// Search finds the entries and the hand-written text that match some words
// best, in the memory of the repository and in the user's own. Nothing found
// is no error.
func Search(ctx context.Context, m *app.Memory, req SearchRequest) (res SearchResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&res.Degraded, &err)
	defer o.OrNothing(&err)
	res.Hits = []retrieval.Hit{}
	req.Sort = cmp.Or(req.Sort, ByRelevance)
	if err = req.checked(); err != nil {
		return res, err
	}
	s, q, err := Question(ctx, o, req.Text, req.Filter, req.Namespaces)
	if err != nil {
		return res, err
	}
	req.Limit = cmp.Or(req.Limit, s.Settings.Search.MaxResults, req.Default)
	req.MinScore = cmp.Or(req.MinScore, &s.Settings.Search.MinScore)
	s.Patient, q.Gate = true, req.Gate
	hits, degraded, err := pageOf(ctx, s, q, req)
	s.Degraded("search", degraded)
	if err != nil {
		return res, err
	}
	if req.Offset == 0 && req.Author == "" && req.Filter.None() {
		hits = withNamed(ctx, s, req.Text, hits)
		hits = hits[:min(len(hits), req.Limit)]
	}
	if !req.Typing {
		lookup.CountFound(ctx, s, hits)
	}
	res.Highlight = highlight.NewHighlighter(req.Text, hits)
	if !req.Explain {
		DropExplain(hits)
	}
	res.Hits = NamedHits(hits)
	return res, nil
}

// checked returns an error for a request that no search can answer.
func (req SearchRequest) checked() error {
	if req.MinScore != nil {
		if err := retrieval.CheckShare("min_score", *req.MinScore); err != nil {
			return app.Usagef("%v", err)
		}
	}
	switch {
	case cmp.Or(req.Limit, req.Default) < 1:
		return app.Usagef("the limit of a search is at least 1, have %d", req.Limit)
	case req.Offset < 0:
		return app.Usagef("the offset of a search is at least 0, have %d", req.Offset)
	case !slices.Contains(SearchOrders, req.Sort):
		return app.Usagef("hits are sorted by relevance, time, importance or score, not by %q", req.Sort)
	}
	return nil
}

// Question opens the memory that a question is for, and begins the query.
func Question(ctx context.Context, o *app.Operation, text string, filter retrieval.Filter, namespaces []string) (s *app.Repo, q retrieval.Query, err error) {
	if err = filter.Check(); err != nil {
		return nil, q, app.Usagef("%v", err)
	}
	q.Text, q.Filter = text, filter
	q.Filter.Path = strings.TrimSuffix(q.Filter.Path, "/")
	if s, err = o.OpenToRead(ctx); err != nil {
		return nil, q, err
	}
	q.Namespaces, err = lookup.SearchedNamespaces(ctx, s, namespaces, "")
	return s, q, err
}

// NamedHits returns hits as doors name them.
func NamedHits(hits []retrieval.Hit) []retrieval.Hit {
	return lists.Filled(lists.Mapped(hits, markdown.NamedHit))
}

// DropExplain removes the parts of the scores.
func DropExplain(hits []retrieval.Hit) {
	for i := range hits {
		hits[i].Explain = nil
	}
}

// Find asks the index and that of the user's own memory, if there is one. It first brings
// them up to date.
func Find(ctx context.Context, s *app.Repo, q retrieval.Query) ([]retrieval.Hit, []string, error) {
	found, err := AskAll(ctx, s, q, false)
	return found.Hits, found.Degraded, err
}

// AskAll searches the memory of the repository and the user's own, and adds
// the facts of both MEMORY.md and the notes of the last days when the caller
// wants them. If ctx has a deadline, AskAll returns the parts that arrived by then. Late
// names the other parts, which are no error.
func AskAll(ctx context.Context, s *app.Repo, q retrieval.Query, facts bool) (executor.Known, error) {
	found := executor.Known{Known: prompt.Known{Namespaces: append(slices.Clip(q.Namespaces), memory.GlobalNamespace)}}
	global, err := app.ExistingGlobal(ctx, s.Operation)
	found.Degraded = app.AppendError(nil, standing.OfGlobal(err))
	g, cancel := gather.New(ctx)
	defer cancel()
	var always standing.EveryTask
	if facts {
		_, lacking := embedding.For(s) // reported once: by the search, not by each of its parts
		found.Degraded = app.AppendError(found.Degraded, lacking)
		always = standing.BeginFacts(ctx, s, g, global, time.Now())
		q.Limit = max(cmp.Or(q.Limit, prompt.DefaultTop), 0) + spareHits // for hits that only repeat a fact
	}
	weighed := slices.Clone(always.Lasting) // a late search keeps this copy
	own := gather.Begin(g, OwnName, func(ctx context.Context) (besideHits, error) { return askMemory(ctx, s, q, weighed) })
	others := askBeside(s, g, q)
	if global != nil {
		others = append(others, gather.Begin(g, standing.GlobalName, func(ctx context.Context) (besideHits, error) { return askGlobal(ctx, global, q) }))
	}
	answer, err, ok := own()
	found.Hits, found.Files, found.Degraded = answer.hits, answer.files, append(found.Degraded, answer.degraded...)
	if ok && err == nil {
		always.Lasting = weighed
	}
	always.AddTo(&found, q.Filter)
	SetScope(s, &found)
	standing.Estimate(&found, q.Text)
	if err != nil {
		return found, err
	}
	nameOwn(s, found.Hits)
	addOthers(&found, others, max(cmp.Or(q.Limit, prompt.DefaultTop), 0))
	found.Late = g.Late
	return found, nil
}

// nameOwn puts the name of this memory, if it has one, before the places of hits.
func nameOwn(s *app.Repo, hits []retrieval.Hit) {
	if s.Name == "" {
		return
	}
	setRepository(hits, s.Name)
	for i := range hits {
		hits[i] = labelled(hits[i], s.Name+":", 1)
	}
}

// addOthers adds the hits of the other memories that arrived in time.
func addOthers(found *executor.Known, others []func() (besideHits, error, bool), most int) {
	for _, wait := range others {
		other, err, _ := wait()
		found.Hits = mergeHits(found.Hits, unknown(other.hits, found.Hits), most, other.label)
		found.Degraded = app.AppendError(append(found.Degraded, other.degraded...), err)
	}
}

const spareHits = 3

// askMemory asks the index of one memory, after bringing it up to date, and sets for each
// fact how much it shares with the question.
func askMemory(ctx context.Context, s *app.Repo, q retrieval.Query, facts []prompt.Fact) (out besideHits, err error) {
	e, lacking := embedding.For(s)
	if !embedder.CallsProvider(e) { // a part that waits for a provider takes no processor
		leave, err := s.Indexes.Turn(ctx)
		if err != nil {
			return out, fmt.Errorf("searching memory: %w", err)
		}
		defer leave()
	}
	listed := index.List(ctx, indexes.Sources(ctx, s)...)
	q.Now, q.Exists = time.Now(), func(path string) bool { return Exists(s, path) }
	trace := lookup.Tracing(ctx, s)
	q.Stands = func(commit string) bool { return trace().Stands(commit) }
	asked := false
	notices, err := indexes.With(ctx, s, func(db *indexpool.Index) error {
		asked = true
		found, degraded, err := askIndex(ctx, s, db, listed, q)
		out.hits, out.files, out.degraded = found.Hits, found.Files, degraded
		if len(facts) > 0 {
			out.degraded = app.AppendError(out.degraded, weigh(ctx, db, q.Text, facts))
		}
		return err
	})
	out.degraded = append(app.AppendError(notices, lacking), out.degraded...)
	if !asked {
		return besideHits{}, fmt.Errorf("searching memory: %s", strings.Join(append(out.degraded, err.Error()), "; "))
	}
	out.degraded = append(out.degraded, trace().Update(out.hits)...)
	return out, err
}

// askIndex searches an open index, and first brings it up to date with the listed
// files.
func askIndex(ctx context.Context, s *app.Repo, db *indexpool.Index, listed *index.Listing, q retrieval.Query) (found index.Answer, degraded []string, err error) {
	var report index.SyncReport
	var synced, late error
	switch e, _ := embedding.For(s); {
	case !s.Settings.Index.SyncOnChange:
		found, report, synced, err = db.AskHeld(ctx, listed, q)
	case embedder.CallsProvider(e): // text that waits for a vector gets it first
		report, synced = db.SyncInTime(ctx, listed)
		late = embedding.CompleteSoon(ctx, s, db)
		found, err = db.Ask(ctx, q)
	case s.Wrote.Load(): // a search before the sync would be made again
		report, synced = db.SyncInTime(ctx, listed)
		found, err = db.Ask(ctx, q)
	default:
		found, report, synced, err = db.AskListed(ctx, listed, q)
	}
	return found, append(indexes.NotInStep(report, synced), s.Vectors.Trouble(late)...), err
}

func weigh(ctx context.Context, db *indexpool.Index, query string, facts []prompt.Fact) error {
	evidence, err := db.Evidence(ctx, query, lists.Mapped(facts, func(f prompt.Fact) string { return f.Whole() }))
	for i := range evidence {
		facts[i].Evidence, facts[i].About = evidence[i].Words, evidence[i].About
	}
	return err
}

// mergeHits puts hits of another memory, such as the user's own, among those of the
// repository, under a label. Rank scores are shares of each memory's best hit: the memory
// with more evidence for its best hit counts in full, the other in proportion.
func mergeHits(hits, others []retrieval.Hit, most int, label string) []retrieval.Hit {
	share := 1.0
	if ours := bestEvidence(hits); ours > 0 {
		share = min(bestEvidence(others)/ours, 1)
	}
	for _, h := range others {
		h = labelled(h, label, share)
		if h.Origin != nil {
			origin := labelled(*h.Origin, label, share)
			h.Origin = &origin
		}
		hits = append(hits, h)
	}
	slices.SortStableFunc(hits, func(a, b retrieval.Hit) int { return cmp.Compare(b.RankScore, a.RankScore) })
	return hits[:min(most, len(hits))]
}

func labelled(h retrieval.Hit, label string, share float64) retrieval.Hit {
	h.Path = label + h.Path
	h.RankScore *= share
	return h
}

func bestEvidence(hits []retrieval.Hit) float64 {
	most := 0.0
	for _, h := range hits {
		if h.Explain != nil {
			most = max(most, h.Explain.Evidence)
		}
	}
	return most
}

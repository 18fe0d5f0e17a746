package fact

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/embedding"
	"agentflow/app/lookup"
	"agentflow/app/search"
	"agentflow/embed"
	"agentflow/internal/consolidate"
	"agentflow/internal/embedder"
	"agentflow/internal/lists"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/memory/retrieval"
)

// SimilarRequest asks for items of memory that are like a fact or an entry.
type SimilarRequest struct {
	Ref   string // an id, the last 4 or more digits of one, or "last" for the newest entry
	Limit int    // at least 1
}

// SimilarResult lists the similar items, the most similar first.
type SimilarResult struct {
	Similar  []api.Similar // never nil
	Titles   []string      // of each, for people: an entry's heading, or the beginning of the text
	Degraded []string      // what did not work, a line each; never nil
}

// Similar lists the facts that are most like a fact or an entry, and the
// entries that hold no fact.
func Similar(ctx context.Context, m *app.Memory, req SimilarRequest) (res SimilarResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&res.Degraded, &err)
	if req.Limit < 1 {
		return res, app.Usagef("the limit of a list is at least 1, have %d", req.Limit)
	}
	s, err := o.OpenOrGlobal(ctx, o.OpenToRead)
	if err != nil {
		return res, err
	}
	s, f, err := lookup.FindAnywhere(ctx, s, req.Ref)
	if err != nil {
		return res, err
	}
	s.Patient = true
	list, err := similar(ctx, s, f, req.Limit)
	if err != nil {
		return res, err
	}
	res.Similar = lists.Mapped(list, func(c candidate) api.Similar { return c.Similar })
	res.Titles = lists.Mapped(list, func(c candidate) string { return c.title })
	return res, nil
}

type candidate struct {
	api.Similar
	fact  *memory.Fact // nil when it is no fact
	title string
}

func similar(ctx context.Context, s *app.Repo, f lookup.StoredItem, limit int) ([]candidate, error) {
	text, selfIDs := f.SearchText()
	facts, err := lookup.Facts(ctx, s)
	if err != nil {
		return nil, err
	}
	hits, degraded, err := search.Find(ctx, s, retrieval.Query{Text: text, Limit: 4*limit + 10, Namespaces: namespacesOf(facts)})
	s.Degraded("memory similar", degraded)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	list := candidates(hits, slices.DeleteFunc(facts, func(k *lookup.StoredFact) bool { return !k.Live(now) }), selfIDs)
	texts := lists.Mapped(list, func(c candidate) string { return c.Text })
	for i, similarity := range similarities(ctx, s, append([]string{text}, texts...)) {
		list[i].Similarity = similarity
		if f.Fact != nil && list[i].fact != nil {
			list[i].Relation = relation(*f.Fact, *list[i].fact, now)
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(b.Similarity, a.Similarity) })
	return list[:min(limit, len(list))], nil
}

func namespacesOf(list []*lookup.StoredFact) []string {
	var names []string
	for _, k := range list {
		if !slices.Contains(names, k.Namespace) {
			names = append(names, k.Namespace)
		}
	}
	return names
}

// candidates returns the facts in the hits, and the hits without any fact. Each is
// returned once. Candidates with one of selfIDs are left out.
func candidates(hits []retrieval.Hit, facts []*lookup.StoredFact, selfIDs []string) []candidate {
	var list []candidate
	taken := map[string]bool{}
	for _, id := range selfIDs {
		taken[id] = true
	}
	for _, h := range hits {
		within := 0
		for _, k := range facts {
			inEntry := k.Entry != nil && k.Entry.ID != "" && k.Entry.ID == h.EntryID
			beside := inEntry || k.StartLine <= h.EndLine && k.EndLine >= h.StartLine
			moved := k.Entry == nil && MovedFrom(h, k.Fact)
			if !moved && (k.File != h.Path || !beside) {
				continue
			}
			within++
			if k.ID != "" && !taken[k.ID] {
				taken[k.ID] = true
				list = append(list, candidate{api.Similar{ID: k.ID, Type: k.Type, Text: k.Whole(), Namespace: k.Namespace, File: k.InFile(), Line: k.StartLine}, &k.Fact, memory.Title(k.Whole())})
			}
		}
		if within == 0 && !taken[h.EntryID] {
			list = append(list, candidate{api.Similar{ID: h.EntryID, Text: h.Text, Namespace: h.Namespace, File: h.Path, Line: h.StartLine}, nil, cmp.Or(h.Heading, memory.Title(h.Text))})
		}
	}
	return list
}

// similarities returns how similar each text after the first is to the first, 0 to 1:
// by vectors, or by words if there is no embedder or if using it would
// start an agent.
func similarities(ctx context.Context, s *app.Repo, texts []string) []float64 {
	list := make([]float64, len(texts)-1)
	vectors := vectorsOf(ctx, s, texts)
	for i := range list {
		if vectors != nil {
			list[i] = cosine(vectors[0], vectors[i+1])
		} else {
			list[i] = sharedWords(texts[0], texts[i+1])
		}
	}
	return list
}

// vectorsOf embeds texts. It returns nil if it cannot.
func vectorsOf(ctx context.Context, s *app.Repo, texts []string) [][]float32 {
	e, err := embedding.For(s)
	if err != nil || e == nil || embedder.Slow(e) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.Settings.Embed.Timeout)
	defer cancel()
	vectors, err := e.Embed(ctx, embed.Document, texts)
	if err != nil {
		if s.Vectors.Notices.First(embedder.InTrouble) {
			s.Degraded("memory similar", []string{fmt.Sprintf("comparing by words only: %v", err)})
		}
		return nil
	}
	return vectors
}

// cosine returns the cosine of two vectors of length 1. It is 0 if either is missing, or if
// they point apart.
func cosine(a, b []float32) float64 {
	if len(a) != len(b) {
		return 0
	}
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return min(max(sum, 0), 1)
}

// sharedWords returns the share of words that two texts have in common (the Dice
// coefficient of their sets of words).
func sharedWords(a, b string) float64 {
	has := map[string]bool{}
	for _, w := range strings.Fields(memory.Same(a)) {
		has[w] = true
	}
	other := map[string]bool{}
	common := 0
	for _, w := range strings.Fields(memory.Same(b)) {
		if has[w] && !other[w] {
			common++
		}
		other[w] = true
	}
	if len(has)+len(other) == 0 {
		return 0
	}
	return 2 * float64(common) / float64(len(has)+len(other))
}

// relation reports how consolidation relates two facts, regardless of their
// namespaces. It is empty if consolidation does nothing with them.
func relation(a, b memory.Fact, now time.Time) string {
	switch {
	case memory.Same(a.Text) == memory.Same(b.Text):
		return "says the same"
	case a.Key != "" && a.Key == b.Key:
		return "another value of the key " + a.Key
	}
	two := ""
	for i, f := range []memory.Fact{a, b} {
		id := fmt.Sprintf("01938f6e-0000-7000-8000-%012d", i+1)
		two += markdown.FormatFact(memory.Fact{ID: id, Type: memory.Semantic, Text: f.Text})
	}
	plan := consolidate.Plan(consolidate.Input{Files: map[string][]byte{"two.md": []byte(two)}, Now: now})
	for _, p := range plan.Possible {
		return "possible " + string(p.Kind) + ": " + p.Reason
	}
	return ""
}

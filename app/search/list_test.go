package search_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/app/search"
	"agentflow/app/standing"
	"agentflow/internal/lists"
	"agentflow/internal/testing/apptest"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/memory/retrieval"
	"agentflow/prompt"
)

// manyHits fills the memory of a repository and the user's own memory with more matches for
// the word "login" than any window holds: runs with facts, and hand-written text with
// many passages below one heading.
func manyHits(t *testing.T) *app.Memory {
	t.Helper()
	p := apptest.NewRepository(t)
	random := rand.New(rand.NewPCG(7, 7))
	words := func(n int) string {
		var list []string
		for range n {
			list = append(list, []string{"clock", "cache", "token", "fetch", "retry", "harbour"}[random.IntN(6)])
		}
		return strings.Join(list, " ")
	}
	types := []memory.FactType{memory.Semantic, memory.Episodic, memory.Procedural}
	day := time.Now().AddDate(0, 0, -1).Truncate(24 * time.Hour).Add(8 * time.Hour)
	entries := func(name, dir string, many int) {
		var text []byte
		for i := range many {
			e := memory.Entry{ID: fmt.Sprintf("%s%d", name, i), Kind: memory.KindRun, Time: day.Add(time.Duration(i/3) * time.Minute),
				Title: "login " + words(3), Task: "login " + words(6), Summary: words(random.IntN(20))}
			if i%3 == 0 {
				e.Facts = []memory.Fact{{ID: e.ID + "f", Type: types[random.IntN(3)], Importance: float64(1+random.IntN(9)) / 10, Category: []string{"build", "taste"}[i%2], Text: words(5)}}
			}
			text = append(text, markdown.Format(e)...)
		}
		p.Write(filepath.Join(dir, day.Format(time.DateOnly)+".md"), string(text))
	}
	entries("ours", ".agentflow/memory", 150)
	entries("own", filepath.Join(p.Home, "data/agentflow/memory"), 60)
	notes := "# Notes\n\n"
	for i := range 60 {
		notes += fmt.Sprintf("Passage %d of the login: %s.\n\n", i, words(250))
	}
	p.Write(".agentflow/memory/notes/login.md", notes)
	return p.Memory()
}

// TestPages: the pages of one query are parts of one list that contains each hit once,
// with any filter and order.
func TestPages(t *testing.T) {
	m, ctx := manyHits(t), t.Context()
	random := rand.New(rand.NewPCG(1, 2))
	places := func(req search.SearchRequest) (list []string) {
		for _, h := range apptest.Must(search.Search(ctx, m, req))(t).Hits {
			list = append(list, search.StandsFor(h))
		}
		return list
	}
	for name, req := range map[string]search.SearchRequest{
		"words":          {Text: "login clock"},
		"a date":         {Text: "what happened yesterday?"},
		"types":          {Text: "login clock", Filter: retrieval.Filter{Types: []memory.FactType{memory.Semantic, memory.Procedural}}},
		"category":       {Text: "login clock", Filter: retrieval.Filter{Category: "taste"}},
		"importance":     {Text: "login clock", Filter: retrieval.Filter{MinImportance: 0.6}},
		"score":          {Text: "login clock", MinScore: new(0.17)},
		"by time":        {Text: "login clock", Sort: search.ByTime},
		"by importance":  {Text: "login token", Sort: search.ByImportance, MinScore: new(0.1)},
		"by score":       {Text: "login retry", Sort: search.ByScore},
		"all at a time":  {Text: "login", Sort: search.ByTime, MinScore: new(0.1), Filter: retrieval.Filter{MinImportance: 0.5, Types: []memory.FactType{memory.Episodic}}},
		"nothing passes": {Text: "login", Filter: retrieval.Filter{Category: "nobody's"}},
	} {
		req.Limit = 10_000
		all := places(req)
		if name == "words" && len(all) < 150+60+30 || (len(all) == 0) != (name == "nothing passes") {
			t.Errorf("%s: %d hits", name, len(all))
		}
		if sorted := slices.Sorted(slices.Values(all)); len(slices.Compact(sorted)) != len(all) {
			t.Errorf("%s: a hit stands there twice", name)
		}
		for range 8 {
			req.Offset, req.Limit = random.IntN(len(all)+20), 1+random.IntN(60)
			want := all[min(req.Offset, len(all)):min(req.Offset+req.Limit, len(all))]
			if got := places(req); !slices.Equal(got, want) {
				t.Errorf("%s: %d from %d: %v, want %v", name, req.Limit, req.Offset, got, want)
			}
		}
		var paged []string
		for req.Offset, req.Limit = 0, 7+random.IntN(60); ; req.Offset += req.Limit {
			page := places(req)
			paged = append(paged, page...)
			if len(page) < req.Limit {
				break
			}
		}
		if !slices.Equal(paged, all) {
			t.Errorf("%s: pages of %d give %d hits, want %d in the same order", name, req.Limit, len(paged), len(all))
		}
	}
}

// TestOrders: the most relevant hits are sorted, and of equal ones the more relevant
// stays first.
func TestOrders(t *testing.T) {
	m, ctx := manyHits(t), t.Context()
	for order, inOrder := range map[search.SearchOrder]func(a, b retrieval.Hit) bool{
		search.ByTime:       func(a, b retrieval.Hit) bool { return !a.Date.Before(b.Date) },
		search.ByImportance: func(a, b retrieval.Hit) bool { return a.Importance >= b.Importance },
		search.ByScore:      func(a, b retrieval.Hit) bool { return a.Score >= b.Score },
	} {
		hits := apptest.Must(search.Search(ctx, m, search.SearchRequest{Text: "login harbour", Limit: search.SortedHits, Sort: order}))(t).Hits
		if len(hits) != search.SortedHits {
			t.Fatalf("%s: %d hits", order, len(hits))
		}
		for i := range hits[1:] {
			if !inOrder(hits[i], hits[i+1]) {
				t.Errorf("by %s %d and %d: %+v, %+v", order, i, i+1, hits[i], hits[i+1])
			}
		}
	}
	for _, req := range []search.SearchRequest{{Limit: 0}, {Limit: 1, Offset: -1}, {Limit: 1, MinScore: new(2.0)}, {Limit: 1, Sort: "length"}, {Limit: 1, Filter: retrieval.Filter{MinImportance: -1}},
		{Limit: 1, Filter: retrieval.Filter{Types: []memory.FactType{"song"}}}} {
		req.Text = "login"
		if _, err := search.Search(ctx, m, req); err == nil {
			t.Errorf("%+v is searched for", req)
		}
	}
}

// TestWantedFacts: settings also keep facts out of prompts, except pinned ones.
func TestWantedFacts(t *testing.T) {
	var facts []prompt.Fact
	for _, f := range []memory.Fact{{Text: "plain"}, {Text: "how", Type: memory.Procedural, Importance: 0.4}, {Text: "when", Type: memory.Episodic, Importance: 0.9}, {Text: "pin", Tags: []string{memory.PinnedTag}, Importance: 0.1}} {
		facts = append(facts, prompt.Fact{Fact: f})
	}
	for want, filter := range map[string]retrieval.Filter{
		"plain how when pin": {},
		"plain when pin":     {MinImportance: 0.5},
		"plain how pin":      {Types: []memory.FactType{memory.Semantic, memory.Procedural}},
		"pin":                {Types: []memory.FactType{memory.Procedural}, MinImportance: 0.5},
	} {
		got := lists.Mapped(standing.WantedFacts(slices.Clone(facts), filter), func(f prompt.Fact) string { return f.Text })
		if strings.Join(got, " ") != want {
			t.Errorf("%+v: %v, want %s", filter, got, want)
		}
	}
}

package search_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/app/fact"
	"agentflow/app/forget"
	"agentflow/app/list"
	"agentflow/app/open"
	"agentflow/app/recall"
	"agentflow/app/search"
	"agentflow/internal/testing/apptest"
	"agentflow/internal/usecount"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/memory/retrieval"
)

// Hits of the user's own memory are sorted among the others by their evidence.
func TestMergeGlobalByEvidence(t *testing.T) {
	hit := func(path string, score, evidence float64) retrieval.Hit {
		return retrieval.Hit{Path: path, RankScore: score, Explain: &retrieval.Explain{Evidence: evidence}}
	}
	ours := []retrieval.Hit{hit("a", 1, 2), hit("b", 0.4, 1)}
	for name, c := range map[string]struct {
		global []retrieval.Hit
		most   int
		want   string
	}{
		"nothing there":  {nil, 5, "a b"},
		"as good":        {[]retrieval.Hit{hit("g", 0.9, 2)}, 5, "a global:g b"},
		"better":         {[]retrieval.Hit{hit("g", 1.5, 4)}, 5, "global:g a b"},
		"half as good":   {[]retrieval.Hit{hit("g", 0.7, 1)}, 5, "a b global:g"},
		"no room":        {[]retrieval.Hit{hit("g", 0.9, 2), hit("h", 0.8, 2)}, 2, "a global:g"},
		"with its entry": {[]retrieval.Hit{{Path: "g", RankScore: 1.5, Explain: &retrieval.Explain{Evidence: 1}, Origin: &retrieval.Hit{Path: "o", RankScore: 1.5}}}, 5, "a global:g/global:o=0.75 b"},
	} {
		var got []string
		for _, h := range search.MergeHits(append([]retrieval.Hit{}, ours...), c.global, c.most, memory.GlobalLabel) {
			if h.Origin != nil {
				h.Path += fmt.Sprintf("/%s=%v", h.Origin.Path, h.Origin.RankScore)
			}
			got = append(got, h.Path)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// Hits are counted by kind: those in a run's prompt, those found by a search and those
// that were opened. A new index keeps the counts. A preview of a prompt is not counted.
func TestUsesAreCountedBesideTheLog(t *testing.T) {
	p := apptest.NewRepository(t)
	m, ctx := p.Memory(), t.Context()
	p.Write(".agentflow/memory/MEMORY.md", "# Memory\n\n- Paint dries slowly. <!-- id=fact3 -->\n- The login clock is fake. <!-- id=fact1 -->\n- ~~The login clock is real.~~ <!-- id=fact2 -->\n")
	p.Write(".agentflow/memory/2026-11-20.md", string(markdown.Format(memory.Entry{ID: "entry1", Kind: memory.KindRun, Title: "The login clock", Task: "The login clock"})))
	for _, task := range []string{"Mend the login clock", "Wind up the login clock"} {
		apptest.RunNow(t, m, task, "echo mended")
		apptest.Must(recall.Recall(ctx, m, recall.Request{Task: task}))(t)
	}
	apptest.Must(search.Search(ctx, m, search.SearchRequest{Text: "login clock", Limit: 1}))(t)
	apptest.Must(list.Show(ctx, m, list.ShowRequest{Ref: "entry1"}))(t)
	apptest.Must(list.Show(ctx, m, list.ShowRequest{Ref: "fact1"}))(t)
	file := usecount.File{Dir: p.Path(".git/agentflow")}
	before := apptest.Must(file.Read())(t)
	f, e := before["fact1"], before["entry1"]
	if f.Prompt != 2 || e.Prompt != 2 || e.Search != 1 || e.Get != 1 || f.Get != 1 || before["fact2"].Count() != 0 || f.Last.IsZero() {
		t.Errorf("%+v", before)
	}
	stats := apptest.Must(list.Stats(ctx, m))(t)
	p.Remove(".agentflow/state")
	if got := apptest.Must(list.Stats(ctx, m))(t); !reflect.DeepEqual(got, stats) || got.Used != 4 || got.Uses[0].Prompt != 2 {
		t.Errorf("without the index %+v, with it %+v", got, stats)
	}
	for _, reverse := range []bool{false, true} {
		list := apptest.Must(list.List(ctx, m, list.Request{Sort: "uses", Reverse: reverse}))(t).Facts
		if len(list) != 2 || (list[0].ID == "fact1") == reverse || list[0].Uses == nil || list[0].Uses.Get+list[1].Uses.Get != 1 {
			t.Errorf("sorted by uses, reverse %v: %+v", reverse, list)
		}
	}
	p.Forget(m, forget.Request{IDs: []string{"fact1"}, Purge: true})
	if after := apptest.Must(file.Read())(t); after["fact1"].Count() != 0 || after["entry1"] != e {
		t.Errorf("after a purge %+v", after)
	}
}

const threeFacts = "# Memory\n\n- Paint dries slowly. <!-- id=fact3 -->\n- The login clock is fake. <!-- id=fact1 type=semantic -->\n"

func TestSearch(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	none, err := search.Search(t.Context(), m, search.SearchRequest{Text: "clock", Limit: 10})
	if err != nil || none.Hits == nil || len(none.Hits) != 0 {
		t.Errorf("without memory: %+v, %v", none, err)
	}

	p.Write(".agentflow/memory/MEMORY.md", threeFacts)
	res, err := search.Search(t.Context(), m, search.SearchRequest{Text: "login clock", Limit: 10})
	if err != nil || len(res.Hits) != 1 || res.Hits[0].Path != "memory/MEMORY.md" || res.Hits[0].Explain != nil || len(res.Degraded) != 0 || res.Degraded == nil {
		t.Fatalf("%+v, %v", res, err)
	}
	if lines := res.Highlight.Snippet(res.Hits[0]); len(lines) != 2 || apptest.Marked(lines[0]) != "- Paint dries slowly." || apptest.Marked(lines[1]) != "- The [login] [clock] is fake." {
		t.Errorf("%+v", lines)
	}
	res, err = search.Search(t.Context(), m, search.SearchRequest{Text: "zebra", Limit: 10, Explain: true})
	if err != nil || res.Hits == nil || len(res.Hits) != 0 {
		t.Errorf("nothing found: %+v, %v", res, err)
	}
	p.Write(".agentflow/memory/MEMORY.md", threeFacts+"- A zebra is striped.\n") // a hand edit is seen at once
	res, err = search.Search(t.Context(), m, search.SearchRequest{Text: "zebra", Limit: 10, Explain: true})
	if err != nil || len(res.Hits) != 1 || res.Hits[0].Explain == nil {
		t.Errorf("a hand edit: %+v, %v", res, err)
	}
	_, err = search.Search(t.Context(), m, search.SearchRequest{Text: "zebra"})
	apptest.WantKind(t, err, app.KindUsage)
	_, err = search.Search(t.Context(), m, search.SearchRequest{Text: "zebra", Limit: 1, Namespaces: []string{"nowhere"}})
	apptest.WantKind(t, err, app.KindUsage)
	_, err = search.Search(t.Context(), apptest.NewFolder(t).Memory(), search.SearchRequest{Text: "zebra", Limit: 1})
	apptest.WantKind(t, err, app.KindNoPlace)

	p.Write("../home/config/agentflow/config.toml", "[embed]\nprovider = \"ollama\"\nurl = \"http://127.0.0.1:1\"\n")
	ctx, events := apptest.Heard(t.Context())
	res, err = search.Search(ctx, m, search.SearchRequest{Text: "zebra", Limit: 1})
	if err != nil || len(res.Hits) != 1 || len(res.Degraded) != 1 {
		t.Errorf("without the service for vectors %+v, %v", res, err)
	}
	if !slices.ContainsFunc(*events, func(e app.Event) bool { return e.Kind == app.EventWarning && e.Text == res.Degraded[0] }) {
		t.Errorf("no event tells %q: %v", res.Degraded, *events)
	}
}

func TestRecall(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	none, err := recall.Recall(t.Context(), m, recall.Request{Task: "clock"})
	if err != nil || none.Block != "" || none.Facts == nil || none.Hits == nil {
		t.Errorf("without memory: %+v, %v", none, err)
	}

	p.Write(".agentflow/memory/MEMORY.md", threeFacts)
	res, err := recall.Recall(t.Context(), m, recall.Request{Task: "Mend the login clock"})
	if err != nil || !strings.Contains(res.Block, "The login clock is fake.") || res.Costs != nil || res.Tokens == 0 || res.Budget != 2000 {
		t.Fatalf("%+v, %v", res, err)
	}
	res, err = recall.Recall(t.Context(), m, recall.Request{Task: "Mend the login clock", Budget: 500, Explain: true})
	if err != nil || len(res.Facts) == 0 || res.Costs == nil || len(res.Costs.Facts) != len(res.Facts) || len(res.Worth) != len(res.Facts) || res.Budget != 500 {
		t.Errorf("%+v, %v", res, err)
	}
	cost := res.Costs.Frame
	for _, n := range append(res.Costs.Facts, res.Costs.Hits...) {
		cost += n
	}
	if cost != res.Tokens {
		t.Errorf("the parts cost %d tokens, all of it %d", cost, res.Tokens)
	}
	_, err = recall.Recall(t.Context(), m, recall.Request{Task: "x", Namespaces: []string{"run/none"}})
	apptest.WantKind(t, err, app.KindUsage)
}

// TestRecallOfNothing: 0 lets nothing through, in the settings too.
func TestRecallOfNothing(t *testing.T) {
	p := apptest.NewRepository(t)
	apptest.Remembered(t, p.Memory(), "The zebra cluster is in Oslo.")
	text, global := "The okapi cluster is in Bergen.", "global"
	if _, err := fact.Remember(t.Context(), p.Memory(), fact.RememberRequest{Change: fact.Change{Text: &text, Namespace: &global}}); err != nil {
		t.Fatal(err)
	}
	for _, settings := range [][]string{{"AGENTFLOW_RECALL_TOP=0", "AGENTFLOW_RECALL_STANDING=0"}, {"AGENTFLOW_RECALL_BUDGET=0"}, nil} {
		m, err := open.Open(t.Context(), p.Repo, app.Env{Vars: append(slices.Clip(p.Env), settings...)})
		if err != nil {
			t.Fatal(err)
		}
		res, err := recall.Recall(t.Context(), m, recall.Request{Task: "where is the zebra cluster in Oslo"})
		if err != nil || (res.Block == "") != (settings != nil) {
			t.Errorf("%q: %q, %v", settings, res.Block, err)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}

package list_test

import (
	"strings"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/app/fact"
	"agentflow/app/list"
	"agentflow/app/lookup"
	"agentflow/internal/testing/apptest"
	"agentflow/memory"
)

// TestSortFacts checks that the newest of equal facts comes first, and the reverse order.
func TestSortFacts(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }
	list := []*lookup.StoredFact{
		{Fact: memory.Fact{ID: "a", Key: "k", Importance: 0.5, Created: day(3)}},
		{Fact: memory.Fact{ID: "b", Importance: 0.9, Created: day(1), Updated: day(4)}},
		{Fact: memory.Fact{ID: "c", Key: "a", Importance: 0.5}, Entry: &memory.Entry{Time: day(2)}},
	}
	for by, want := range map[fact.Order]string{"created": "acb", "updated": "bac", "importance": "bac", "key": "cab", "namespace": "acb"} {
		for _, reverse := range []bool{false, true} {
			got := append([]*lookup.StoredFact{}, list...)
			fact.SortFacts(got, by, reverse)
			ids := ""
			for _, k := range got {
				ids += k.ID
			}
			if reverse {
				ids = ids[2:] + ids[1:2] + ids[:1]
			}
			if ids != want {
				t.Errorf("by %q, reverse %v: %s, want %s", by, reverse, ids, want)
			}
		}
	}
}

func TestList(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	none, err := list.List(t.Context(), m, list.Request{})
	if err != nil || none.Facts == nil || len(none.Facts) != 0 {
		t.Errorf("without memory: %+v, %v", none, err)
	}

	p.Write(".agentflow/memory/MEMORY.md", apptest.FourFacts)
	p.Write("../home/data/agentflow/memory/MEMORY.md", "# Memory\n\n- Tabs, never spaces. <!-- id=01938f6e-0000-7000-8000-000000000a05 type=semantic -->\n")
	for name, c := range map[string]struct {
		req   list.Request
		want  string
		total int
	}{
		"live":       {list.Request{}, "a01 a02 a05", 3},
		"struck":     {list.Request{State: list.StruckFacts}, "a03", 1},
		"expired":    {list.Request{State: list.ExpiredFacts}, "a04", 1},
		"all":        {list.Request{State: list.AllFacts}, "a01 a02 a03 a04 a05", 5},
		"words":      {list.Request{Words: []string{"fridays DEPLOYS", "always"}}, "a02", 1},
		"type":       {list.Request{Type: memory.Procedural}, "a01", 1},
		"tag":        {list.Request{Tags: []string{"ops"}}, "a01", 1},
		"two tags":   {list.Request{Tags: []string{"ops", "other"}}, "", 0},
		"key":        {list.Request{Key: "deploy.day"}, "a01", 1},
		"source":     {list.Request{Source: "beef1"}, "a02", 1},
		"importance": {list.Request{MinImportance: 0.6}, "a01", 1},
		"project":    {list.Request{Namespace: "project"}, "a01 a02", 2},
		"global":     {list.Request{Namespace: "global"}, "a05", 1},
		"branch":     {list.Request{Namespace: "branch"}, "", 0},
		"since":      {list.Request{Since: time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)}, "a01", 1},
		"until":      {list.Request{Until: time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)}, "a02 a05", 2},
		"a page":     {list.Request{Offset: 1, Limit: 1}, "a02", 3},
		"past it":    {list.Request{Offset: 9}, "", 3},
		"reverse":    {list.Request{Sort: "importance", Reverse: true, Namespace: "project"}, "a02 a01", 2},
	} {
		res, err := list.List(t.Context(), m, c.req)
		var ids []string
		for _, f := range res.Facts {
			ids = append(ids, f.ID[len(f.ID)-3:])
			if strings.HasPrefix(f.File, "global:memory/") != strings.HasSuffix(f.ID, "a05") {
				t.Errorf("%s: fact %s stands in %s", name, f.ID, f.File)
			}
		}
		if err != nil || strings.Join(ids, " ") != c.want || res.Total != c.total || res.Facts == nil {
			t.Errorf("%s: %v of %d, %v", name, ids, res.Total, err)
		}
	}
	for _, req := range []list.Request{{Sort: "size"}, {Limit: -1}, {Offset: -1}, {Namespace: "elsewhere"}} {
		_, err = list.List(t.Context(), m, req)
		apptest.WantKind(t, err, app.KindUsage)
	}
}

func TestSimilar(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	_, err := fact.Similar(t.Context(), m, fact.SimilarRequest{Ref: "0a01", Limit: 1})
	apptest.WantKind(t, err, app.KindNoPlace)

	p.Write(".agentflow/memory/MEMORY.md", apptest.FourFacts)
	res, err := fact.Similar(t.Context(), m, fact.SimilarRequest{Ref: "0a01", Limit: 10})
	if err != nil || len(res.Similar) != 1 || !strings.HasSuffix(res.Similar[0].ID, "a02") || res.Similar[0].Similarity <= 0.5 || res.Titles[0] != "Deploys are on Fridays, always." {
		t.Errorf("%+v, %v", res, err)
	}
	_, err = fact.Similar(t.Context(), m, fact.SimilarRequest{Ref: "ffff", Limit: 1})
	apptest.WantKind(t, err, app.KindNotFound)
	_, err = fact.Similar(t.Context(), m, fact.SimilarRequest{Ref: "0a01"})
	apptest.WantKind(t, err, app.KindUsage)
}

func TestStats(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	none, err := list.Stats(t.Context(), m)
	if err != nil || none.Types == nil {
		t.Errorf("without memory: %+v, %v", none, err)
	}

	p.Write(".agentflow/memory/MEMORY.md", apptest.FourFacts)
	if _, err := list.Show(t.Context(), m, list.ShowRequest{Ref: "0a01"}); err != nil {
		t.Fatal(err)
	}
	res, err := list.Stats(t.Context(), m)
	if err != nil || res.Live != 2 || res.Struck != 1 || res.Expired != 1 || res.Types["procedural"] != 1 || res.Sources["run"] != 1 || res.Files != 1 || res.MemoryMD.Lines != 6 {
		t.Errorf("%+v, %v", res, err)
	}
	if res.Used != 1 || len(res.Uses) != 1 || res.Uses[0].Get != 1 || res.Uses[0].Text != "Deploys are on Fridays." {
		t.Errorf("uses %+v", res.Uses)
	}
}

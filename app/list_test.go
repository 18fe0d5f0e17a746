package app

import (
	"strings"
	"testing"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// TestSortFacts checks that the newest of equal facts comes first, and the reverse order.
func TestSortFacts(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }
	list := []*storedFact{
		{Fact: memory.Fact{ID: "a", Key: "k", Importance: 0.5, Created: day(3)}},
		{Fact: memory.Fact{ID: "b", Importance: 0.9, Created: day(1), Updated: day(4)}},
		{Fact: memory.Fact{ID: "c", Key: "a", Importance: 0.5}, storedBlock: storedBlock{Block: markdown.Block{Entry: &memory.Entry{Time: day(2)}}}},
	}
	for by, want := range map[FactOrder]string{"created": "acb", "updated": "bac", "importance": "bac", "key": "cab", "namespace": "acb"} {
		for _, reverse := range []bool{false, true} {
			got := append([]*storedFact{}, list...)
			sortFacts(got, by, reverse)
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

const fourFacts = `# Memory

- Deploys are on Fridays. <!-- id=01938f6e-0000-7000-8000-000000000a01 type=procedural importance=0.9 tags=ops key=deploy.day created=2026-05-04T10:00:00Z -->
- Deploys are on Fridays, always. <!-- id=01938f6e-0000-7000-8000-000000000a02 type=semantic source=01938f6e-0000-7000-8000-0000000beef1 created=2026-05-03T10:00:00Z -->
- ~~Deploys are on Mondays.~~ <!-- id=01938f6e-0000-7000-8000-000000000a03 type=procedural created=2026-05-02T10:00:00Z -->
- The freeze lasts a week. <!-- id=01938f6e-0000-7000-8000-000000000a04 type=semantic created=2026-05-01T10:00:00Z expires=2026-05-08T00:00:00Z -->
`

func TestList(t *testing.T) {
	p := newRepository(t)
	m := p.memory()
	none, err := List(t.Context(), m, ListRequest{})
	if err != nil || none.Facts == nil || len(none.Facts) != 0 {
		t.Errorf("without memory: %+v, %v", none, err)
	}

	p.Write(".agentflow/memory/MEMORY.md", fourFacts)
	p.Write("../home/data/agentflow/memory/MEMORY.md", "# Memory\n\n- Tabs, never spaces. <!-- id=01938f6e-0000-7000-8000-000000000a05 type=semantic -->\n")
	for name, c := range map[string]struct {
		req   ListRequest
		want  string
		total int
	}{
		"live":       {ListRequest{}, "a01 a02 a05", 3},
		"struck":     {ListRequest{State: StruckFacts}, "a03", 1},
		"expired":    {ListRequest{State: ExpiredFacts}, "a04", 1},
		"all":        {ListRequest{State: AllFacts}, "a01 a02 a03 a04 a05", 5},
		"words":      {ListRequest{Words: []string{"fridays DEPLOYS", "always"}}, "a02", 1},
		"type":       {ListRequest{Type: memory.Procedural}, "a01", 1},
		"tag":        {ListRequest{Tags: []string{"ops"}}, "a01", 1},
		"two tags":   {ListRequest{Tags: []string{"ops", "other"}}, "", 0},
		"key":        {ListRequest{Key: "deploy.day"}, "a01", 1},
		"source":     {ListRequest{Source: "beef1"}, "a02", 1},
		"importance": {ListRequest{MinImportance: 0.6}, "a01", 1},
		"project":    {ListRequest{Namespace: "project"}, "a01 a02", 2},
		"global":     {ListRequest{Namespace: "global"}, "a05", 1},
		"branch":     {ListRequest{Namespace: "branch"}, "", 0},
		"since":      {ListRequest{Since: time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)}, "a01", 1},
		"until":      {ListRequest{Until: time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)}, "a02 a05", 2},
		"a page":     {ListRequest{Offset: 1, Limit: 1}, "a02", 3},
		"past it":    {ListRequest{Offset: 9}, "", 3},
		"reverse":    {ListRequest{Sort: "importance", Reverse: true, Namespace: "project"}, "a02 a01", 2},
	} {
		res, err := List(t.Context(), m, c.req)
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
	for _, req := range []ListRequest{{Sort: "size"}, {Limit: -1}, {Offset: -1}, {Namespace: "elsewhere"}} {
		_, err = List(t.Context(), m, req)
		wantKind(t, err, KindUsage)
	}
}

func TestSimilar(t *testing.T) {
	p := newRepository(t)
	m := p.memory()
	_, err := Similar(t.Context(), m, SimilarRequest{Ref: "0a01", Limit: 1})
	wantKind(t, err, KindNoPlace)

	p.Write(".agentflow/memory/MEMORY.md", fourFacts)
	res, err := Similar(t.Context(), m, SimilarRequest{Ref: "0a01", Limit: 10})
	if err != nil || len(res.Similar) != 1 || !strings.HasSuffix(res.Similar[0].ID, "a02") || res.Similar[0].Similarity <= 0.5 || res.Titles[0] != "Deploys are on Fridays, always." {
		t.Errorf("%+v, %v", res, err)
	}
	_, err = Similar(t.Context(), m, SimilarRequest{Ref: "ffff", Limit: 1})
	wantKind(t, err, KindNotFound)
	_, err = Similar(t.Context(), m, SimilarRequest{Ref: "0a01"})
	wantKind(t, err, KindUsage)
}

func TestStats(t *testing.T) {
	p := newRepository(t)
	m := p.memory()
	none, err := Stats(t.Context(), m)
	if err != nil || none.Types == nil {
		t.Errorf("without memory: %+v, %v", none, err)
	}

	p.Write(".agentflow/memory/MEMORY.md", fourFacts)
	if _, err := Show(t.Context(), m, ShowRequest{Ref: "0a01"}); err != nil {
		t.Fatal(err)
	}
	res, err := Stats(t.Context(), m)
	if err != nil || res.Live != 2 || res.Struck != 1 || res.Expired != 1 || res.Types["procedural"] != 1 || res.Sources["run"] != 1 || res.Files != 1 || res.MemoryMD.Lines != 6 {
		t.Errorf("%+v, %v", res, err)
	}
	if res.Used != 1 || len(res.Uses) != 1 || res.Uses[0].Get != 1 || res.Uses[0].Text != "Deploys are on Fridays." {
		t.Errorf("uses %+v", res.Uses)
	}
}

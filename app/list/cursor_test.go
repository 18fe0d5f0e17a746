package list_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/app/list"
	"agentflow/app/lookup"
	"agentflow/internal/testing/apptest"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

// TestListPages reads lists page by page while facts are added and removed. Each fact that was
// there all the time is listed exactly once.
func TestListPages(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	day := time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)
	fact := func(n int) string {
		id := fmt.Sprintf("01938f6e-0000-7000-8000-%012x", 0xa0000+n)
		return fmt.Sprintf("- Fact number %d. <!-- id=%s type=semantic importance=0.%d created=%s -->\n", n, id, n%3+1, day.Add(time.Duration(n/4)*time.Second).Format(time.RFC3339))
	}
	write := func(numbers []int, above string) {
		text := "# Memory\n\n" + above + "- By hand, one.\n- By hand, two.\n"
		for _, n := range numbers {
			text += fact(n)
		}
		p.Write(".agentflow/memory/MEMORY.md", text)
	}
	var all []int
	for n := range 40 {
		all = append(all, n)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, by := range list.FactOrders {
		for _, reverse := range []bool{false, true} {
			gone := map[int]bool{}
			seen := map[string]int{}
			write(all, "")
			req := list.Request{Sort: by, Reverse: reverse, Limit: 7}
			for pages := 0; ; pages++ {
				res := apptest.Must(list.List(t.Context(), m, req))(t)
				for _, f := range res.Facts {
					seen[f.Text]++
				}
				if req.Cursor = res.Next; res.Next == "" {
					break
				}
				if pages > 20 {
					t.Fatalf("by %s: no end of pages", by)
				}
				gone[random.IntN(40)] = true
				write(slices.DeleteFunc(slices.Clone(all), func(n int) bool { return gone[n] }), strings.Repeat("Some text.\n\n", pages))
			}
			for n := range 40 {
				if count := seen[fmt.Sprintf("Fact number %d.", n)]; count > 1 || count == 0 && !gone[n] {
					t.Errorf("by %s, reverse %v: fact %d is listed %d times", by, reverse, n, count)
				}
			}
			if seen["By hand, one."] != 1 || seen["By hand, two."] != 1 {
				t.Errorf("by %s, reverse %v: facts by hand are listed %d and %d times", by, reverse, seen["By hand, one."], seen["By hand, two."])
			}
		}
	}
	write(nil, "")
	first := apptest.Must(list.List(t.Context(), m, list.Request{Limit: 1}))(t)
	write(nil, "Some text.\n\nMore text.\n\n")
	second := apptest.Must(list.List(t.Context(), m, list.Request{Limit: 1, Cursor: first.Next}))(t)
	if len(second.Facts) != 1 || second.Facts[0].Text != "By hand, two." || second.Next != "" {
		t.Errorf("behind %+v: %+v", first.Facts, second)
	}
	write(all, "")
	next := apptest.Must(list.List(t.Context(), m, list.Request{Limit: 1}))(t).Next
	for _, req := range []list.Request{{Cursor: "x"}, {Cursor: "e30"}, {Cursor: strings.Repeat("A", lookup.MaxCursor+1)}, {Cursor: next, Reverse: true}, {Cursor: next, Sort: "key"}, {Cursor: next, Offset: 1}} {
		_, err := list.List(t.Context(), m, req)
		apptest.WantKind(t, err, app.KindUsage)
	}
	_, err := list.Log(t.Context(), m, list.LogRequest{Cursor: next})
	apptest.WantKind(t, err, app.KindUsage)
}

func TestLogPages(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	at := time.Date(2026, 5, 4, 22, 0, 0, 0, time.UTC)
	var entries []memory.Entry
	for n := range 30 {
		entries = append(entries, memory.Entry{ID: fmt.Sprintf("01938f6e-0000-7000-8000-%012x", 0xa0000+n), Kind: memory.KindRun, Time: at.Add(time.Duration(n/3) * 20 * time.Minute),
			Title: fmt.Sprint("run ", n), Task: fmt.Sprint("run ", n), Result: &memory.Result{Outcome: memory.OutcomeOK, Success: true}})
	}
	write := func(gone map[string]bool) {
		days := map[string]string{}
		for _, e := range entries {
			if name := memory.DayFile(e.Time); !gone[e.ID] {
				days[name] += string(markdown.Format(e)) + "\n"
			}
		}
		days["copy.md"] = "A copy.\n\n"
		if !gone[entries[29].ID] {
			days["copy.md"] += string(markdown.Format(entries[29])) + "\n"
		}
		for name, text := range days {
			p.Write(".agentflow/memory/"+name, "# "+strings.TrimSuffix(name, ".md")+"\n\n"+text)
		}
	}
	for _, limit := range []int{1, 4, 30, 99} {
		gone, seen := map[string]bool{}, map[string]int{}
		write(gone)
		req := list.LogRequest{Limit: limit}
		for {
			res := apptest.Must(list.Log(t.Context(), m, req))(t)
			for _, r := range res.Runs {
				seen[r.ID]++
			}
			if req.Cursor = res.Next; res.Next == "" {
				break
			}
			if len(gone) < 9 { // the entry of the cursor is one that goes
				gone[res.Runs[len(res.Runs)-1].ID] = true
				write(gone)
			}
		}
		for _, e := range entries {
			if seen[e.ID] != 1 {
				t.Errorf("pages of %d: %s is listed %d times", limit, e.Title, seen[e.ID])
			}
		}
	}
}

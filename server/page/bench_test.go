package page

import (
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/internal/testing/labtest"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

// fill writes entries with a fact each into a hundred daily files.
func fill(b *testing.B, l *labtest.Lab, entries int) {
	b.Helper()
	random, seed := rand.New(rand.NewPCG(1, 2)), rand.NewChaCha8([32]byte{1})
	words := func(n int) string {
		var list []string
		for range n {
			list = append(list, fmt.Sprintf("%s%d", []string{"alpha", "parse", "index", "retry", "clock", "cache", "token", "fetch"}[random.IntN(8)], int(400*random.Float64()*random.Float64())))
		}
		return strings.Join(list, " ")
	}
	const files = 100
	day := time.Now().AddDate(0, 0, -files)
	for range files {
		text := fmt.Appendf(nil, "# %s\n\n", day.Format(time.DateOnly))
		for i := range entries / files {
			at := day.Add(time.Duration(i) * time.Second)
			var ids [2]string
			for n := range ids {
				ids[n], _ = memory.NewID(at, seed)
			}
			e := memory.Entry{ID: ids[0], Kind: memory.KindRun, Time: at, Agent: "claude", Task: words(8), Summary: words(20),
				Changes: memory.ChangeList{Items: []memory.Change{{Status: 'M', Path: "pkg/" + words(1) + ".go", Counted: true, Added: i}}},
				Facts:   []memory.Fact{{ID: ids[1], Type: memory.Semantic, Importance: 0.5, Key: words(1), Tags: []string{words(1)}, Text: words(12)}},
				Result:  &memory.Result{Outcome: memory.OutcomeOK, Success: true, Duration: time.Second, CostUSD: 0.1}}
			e.Title = memory.Title(e.Task)
			text = append(text, markdown.Format(e)...)
		}
		l.Write(".agentflow/memory/"+memory.DayFile(day), string(text))
		day = day.AddDate(0, 0, 1)
	}
}

// BenchmarkViews is how long the server takes for each view of 100,000
// entries, each with a fact.
func BenchmarkViews(b *testing.B) {
	l := labtest.Repository(b)
	m, err := app.Open(b.Context(), l.Repo, app.Env{Vars: l.Env})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { m.Close() })
	if _, err := m.Init(b.Context()); err != nil {
		b.Fatal(err)
	}
	fill(b, l, 100_000)
	if _, err := m.Index(b.Context(), app.IndexRequest{}); err != nil {
		b.Fatal(err)
	}
	handler := New(Options{Repositories: []Repository{{"repo", m}}})
	last, err := m.Log(b.Context(), app.LogRequest{Limit: 1})
	if err != nil {
		b.Fatal(err)
	}
	for _, view := range []string{"/?q=alpha12+cache3+fetch40", "/timeline", "/timeline?kind=run", "/facts", "/facts?words=alpha12+cache3", "/contradictions", "/memory", "/memory?file=memory/MEMORY.md", "/files", "/files?path=pkg/alpha12.go",
		"/health", "/live", "/entry/" + last.Runs[0].ID, "/entry/" + last.Runs[0].Memories[0].ID, "/similar/" + last.Runs[0].Memories[0].ID} {
		b.Run(strings.NewReplacer("/", "_", "?", "_", "+", "_").Replace(strings.TrimPrefix(view, "/")), func(b *testing.B) {
			for b.Loop() {
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, httptest.NewRequest("GET", view, nil))
				if w.Code != 200 && !strings.Contains(view, "MEMORY.md") {
					b.Fatalf("%d %s", w.Code, w.Body)
				}
				b.ReportMetric(float64(w.Body.Len()), "bytes")
			}
		})
	}
}

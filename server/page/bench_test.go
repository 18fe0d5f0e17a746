package page

import (
	"net/http/httptest"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/app/list"
	"agentflow/app/open"
	"agentflow/app/setup"
	"agentflow/app/upkeep"
	"agentflow/internal/testing/labtest"
)

// BenchmarkViews measures how long the server takes for each view of 100,000
// entries, each with a fact.
func BenchmarkViews(b *testing.B) {
	l := labtest.Repository(b)
	m, err := open.Open(b.Context(), l.Repo, app.Env{Vars: l.Env})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { m.Close() })
	if _, err := setup.Init(b.Context(), m); err != nil {
		b.Fatal(err)
	}
	l.Fill(100_000)
	if _, err := upkeep.Index(b.Context(), m, upkeep.IndexRequest{}); err != nil {
		b.Fatal(err)
	}
	handler := New(Options{Repositories: []Repository{{Name: "repo", Memory: m}}})
	last, err := list.Log(b.Context(), m, list.LogRequest{Limit: 1})
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

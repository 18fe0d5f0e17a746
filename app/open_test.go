package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"agentflow/app"
	"agentflow/app/search"
	"agentflow/internal/testing/apptest"
)

// TestIndexStaysOpen checks that successive operations use the same index, also after its file was removed, and that
// Close closes it.
func TestIndexStaysOpen(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	apptest.Remembered(t, m, "Seals eat at dawn.")
	search := func() {
		t.Helper()
		res, err := search.Search(t.Context(), m, search.SearchRequest{Text: "seals", Limit: 1})
		if err != nil || len(res.Hits) != 1 || len(res.Degraded) > 0 {
			t.Fatalf("%+v, %v", res, err)
		}
	}
	search()
	if n := len(m.Indexes.Idle); n != 1 {
		t.Fatalf("%d indexes are open", n)
	}
	kept := m.Indexes.Idle[0]
	search()
	if len(m.Indexes.Idle) != 1 || m.Indexes.Idle[0] != kept {
		t.Error("another index was opened")
	}
	files, err := filepath.Glob(filepath.Join(p.Repo, ".agentflow/state/index.db*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	search()
	if err := m.Close(); err != nil || len(m.Indexes.Idle) != 0 {
		t.Errorf("closing left %d open: %v", len(m.Indexes.Idle), err)
	}
}

// BenchmarkOpenMemory compares searches of one open Memory with searches that each open a new one.
func BenchmarkOpenMemory(b *testing.B) {
	p := apptest.NewRepository(b)
	m := p.Memory()
	for n := range 200 {
		apptest.Remembered(b, m, fmt.Sprintf("The seal number %d eats at dawn in bay %d.", n, n%7))
	}
	search := func(b *testing.B, m *app.Memory) {
		if _, err := search.Search(b.Context(), m, search.SearchRequest{Text: "seal in bay 3", Limit: 5}); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("held", func(b *testing.B) {
		for b.Loop() {
			search(b, m)
		}
	})
	b.Run("fresh", func(b *testing.B) {
		for b.Loop() {
			fresh := p.Memory()
			search(b, fresh)
			if err := fresh.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

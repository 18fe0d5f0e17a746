package app

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestIndexStaysOpen checks that successive operations use the same index, also after its file was removed, and that
// Close closes it.
func TestIndexStaysOpen(t *testing.T) {
	p := newRepository(t)
	m := p.memory()
	remembered(t, m, "Seals eat at dawn.")
	search := func() {
		t.Helper()
		res, err := Search(t.Context(), m, SearchRequest{Text: "seals", Limit: 1})
		if err != nil || len(res.Hits) != 1 || len(res.Degraded) > 0 {
			t.Fatalf("%+v, %v", res, err)
		}
	}
	search()
	if n := len(m.indexes.idle); n != 1 {
		t.Fatalf("%d indexes are open", n)
	}
	kept := m.indexes.idle[0]
	search()
	if len(m.indexes.idle) != 1 || m.indexes.idle[0] != kept {
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
	if err := m.Close(); err != nil || len(m.indexes.idle) != 0 {
		t.Errorf("closing left %d open: %v", len(m.indexes.idle), err)
	}
}

// BenchmarkOpenMemory compares searches of one open Memory with searches that each open a new one.
func BenchmarkOpenMemory(b *testing.B) {
	p := newRepository(b)
	m := p.memory()
	for n := range 200 {
		remembered(b, m, fmt.Sprintf("The seal number %d eats at dawn in bay %d.", n, n%7))
	}
	search := func(b *testing.B, m *Memory) {
		if _, err := Search(b.Context(), m, SearchRequest{Text: "seal in bay 3", Limit: 5}); err != nil {
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
			fresh := p.memory()
			search(b, fresh)
			if err := fresh.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

package app

import (
	"slices"
	"strings"
	"testing"

	"agentflow/consolidate"
)

func TestReadmeConsolidateFields(t *testing.T) {
	named := documented(readme(t), "`consolidate --json`: `", "`; `forgotten`")
	if have := fields(t, consolidateObject{Actions: []consolidate.Action{{}}, Possible: []consolidate.Possible{{}}}); !slices.Equal(named, have) {
		t.Errorf("README  %v\nprogram %v", named, have)
	}
}

func TestArchiveBelowItsDays(t *testing.T) {
	names := []string{"memory/MEMORY.md", "memory/archive/2026-07.md", "memory/2026-08-31.md", "memory/archive/2026-08.md", "memory/2027-01-01.md", "memory/2026-09-01.md"}
	slices.SortStableFunc(names, func(a, b string) int { return -strings.Compare(dayOf(a, "2026-09-02"), dayOf(b, "2026-09-02")) })
	want := []string{"memory/2026-09-01.md", "memory/2026-08-31.md", "memory/archive/2026-08.md", "memory/archive/2026-07.md", "memory/MEMORY.md", "memory/2027-01-01.md"}
	if !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
}

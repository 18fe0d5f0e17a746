package app

import (
	"slices"
	"strings"
	"testing"
)

func TestArchiveBelowItsDays(t *testing.T) {
	names := []string{"memory/MEMORY.md", "memory/archive/2026-07.md", "memory/2026-08-31.md", "memory/archive/2026-08.md", "memory/2027-01-01.md", "memory/2026-09-01.md"}
	slices.SortStableFunc(names, func(a, b string) int { return -strings.Compare(dayOf(a, "2026-09-02"), dayOf(b, "2026-09-02")) })
	want := []string{"memory/2026-09-01.md", "memory/2026-08-31.md", "memory/archive/2026-08.md", "memory/archive/2026-07.md", "memory/MEMORY.md", "memory/2027-01-01.md"}
	if !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
}

func TestConsolidate(t *testing.T) {
	p := newRepository(t)
	m, key := p.memory(), "deploy.day"
	remembered(t, m, "Seals eat at dawn.")
	for _, text := range []string{"We deploy on Mondays.", "We deploy on Tuesdays."} {
		if _, err := Remember(t.Context(), m, RememberRequest{FactChange: FactChange{Text: &text, Key: &key}}); err != nil {
			t.Fatal(err)
		}
	}
	before := memoryText(t, p.Repo)
	dry, err := Consolidate(t.Context(), m, ConsolidateRequest{DryRun: true})
	if err != nil || !dry.Changed || !dry.DryRun || dry.Files != 1 || !strings.Contains(dry.Diff, "~~We deploy on Mondays.~~") || memoryText(t, p.Repo) != before {
		t.Fatalf("%+v, %v", dry, err)
	}
	done, err := Consolidate(t.Context(), m, ConsolidateRequest{})
	if err != nil || len(done.Actions) != 1 || done.Actions[0].Kind != "struck" || !strings.Contains(memoryText(t, p.Repo), "~~We deploy on Mondays.~~") {
		t.Errorf("%+v, %v", done, err)
	}
	if done, err = Consolidate(t.Context(), m, ConsolidateRequest{}); err != nil || done.Changed {
		t.Errorf("again: %+v, %v", done, err)
	}
	_, err = Consolidate(t.Context(), m, ConsolidateRequest{Namespace: "branch"})
	wantKind(t, err, KindUsage)
	_, err = Consolidate(t.Context(), m, ConsolidateRequest{Namespace: "global"})
	wantKind(t, err, KindRefused)
	_, err = Consolidate(t.Context(), newFolder(t).memory(), ConsolidateRequest{})
	wantKind(t, err, KindNoPlace)
}

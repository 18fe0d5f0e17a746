package consolidate_test

import (
	"slices"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/app/consolidate"
	"agentflow/app/fact"
	"agentflow/app/memoryfiles"
	"agentflow/internal/testing/apptest"
)

func TestArchiveBelowItsDays(t *testing.T) {
	names := []string{"memory/MEMORY.md", "memory/archive/2026-07.md", "memory/2026-08-31.md", "memory/archive/2026-08.md", "memory/2027-01-01.md", "memory/2026-09-01.md"}
	slices.SortStableFunc(names, func(a, b string) int {
		return -strings.Compare(memoryfiles.DayOf(a, "2026-09-02"), memoryfiles.DayOf(b, "2026-09-02"))
	})
	want := []string{"memory/2026-09-01.md", "memory/2026-08-31.md", "memory/archive/2026-08.md", "memory/archive/2026-07.md", "memory/MEMORY.md", "memory/2027-01-01.md"}
	if !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
}

func TestConsolidate(t *testing.T) {
	p := apptest.NewRepository(t)
	m, key := p.Memory(), "deploy.day"
	apptest.Remembered(t, m, "Seals eat at dawn.")
	for _, text := range []string{"We deploy on Mondays.", "We deploy on Tuesdays."} {
		if _, err := fact.Remember(t.Context(), m, fact.RememberRequest{Change: fact.Change{Text: &text, Key: &key}}); err != nil {
			t.Fatal(err)
		}
	}
	before := apptest.MemoryText(t, p.Repo)
	dry, err := consolidate.Consolidate(t.Context(), m, consolidate.Request{DryRun: true})
	if err != nil || !dry.Changed || !dry.DryRun || dry.Files != 1 || !strings.Contains(dry.Diff, "~~We deploy on Mondays.~~") || apptest.MemoryText(t, p.Repo) != before {
		t.Fatalf("%+v, %v", dry, err)
	}
	done, err := consolidate.Consolidate(t.Context(), m, consolidate.Request{})
	if err != nil || len(done.Actions) != 1 || done.Actions[0].Kind != "struck" || !strings.Contains(apptest.MemoryText(t, p.Repo), "~~We deploy on Mondays.~~") {
		t.Errorf("%+v, %v", done, err)
	}
	if done, err = consolidate.Consolidate(t.Context(), m, consolidate.Request{}); err != nil || done.Changed {
		t.Errorf("again: %+v, %v", done, err)
	}
	_, err = consolidate.Consolidate(t.Context(), m, consolidate.Request{Namespace: "branch"})
	apptest.WantKind(t, err, app.KindUsage)
	_, err = consolidate.Consolidate(t.Context(), m, consolidate.Request{Namespace: "global"})
	apptest.WantKind(t, err, app.KindRefused)
	_, err = consolidate.Consolidate(t.Context(), apptest.NewFolder(t).Memory(), consolidate.Request{})
	apptest.WantKind(t, err, app.KindNoPlace)
}

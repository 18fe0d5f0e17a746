package list_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/app/list"
	"agentflow/internal/testing/apptest"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

// TestLogInPages checks that the pages together have all entries in the order of one long list,
// with copies listed once, and that an error of the function that receives them ends the listing.
func TestLogInPages(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	for day := range 4 {
		var text strings.Builder
		at := time.Date(2026, 11, 1+day, 8, 0, 0, 0, time.UTC)
		fmt.Fprintf(&text, "# %s\n", at.Format(time.DateOnly))
		for i := range 300 {
			e := memory.Entry{ID: fmt.Sprintf("0199%04d-0000-7000-8000-%012d", day, i), Kind: memory.KindRun, Agent: "command", Time: at.Add(time.Duration(i) * time.Second), Title: fmt.Sprintf("Task %d", i)}
			text.WriteString("\n" + string(markdown.Format(e)))
		}
		p.Write(".agentflow/memory/"+at.Format(time.DateOnly)+".md", text.String())
		p.Write(".agentflow/memory/copy-"+at.Format(time.DateOnly)+".md", text.String())
	}
	whole, err := list.Log(t.Context(), m, list.LogRequest{All: true})
	if err != nil || len(whole.Runs) != 1200 {
		t.Fatalf("%d entries: %v", len(whole.Runs), err)
	}
	var ids []string
	pages := 0
	err = list.LogPages(t.Context(), m, list.LogRequest{All: true}, func(page list.LogResult) error {
		pages++
		for _, r := range page.Runs {
			ids = append(ids, r.ID)
		}
		return nil
	})
	if err != nil || pages < 3 {
		t.Fatalf("%d pages: %v", pages, err)
	}
	for i, r := range whole.Runs {
		if ids[i] != r.ID {
			t.Fatalf("entry %d is %s, want %s", i, ids[i], r.ID)
		}
	}
	if slices.Sort(ids); len(slices.Compact(ids)) != len(whole.Runs) {
		t.Error("an entry is on two pages")
	}
	stop := errors.New("enough")
	if err := list.LogPages(t.Context(), m, list.LogRequest{All: true}, func(list.LogResult) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("ended with %v", err)
	}
}

package app

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentflow/api"
	"agentflow/memory"
)

// recalledTexts returns the facts that the block for an unrelated task contains, sorted.
func recalledTexts(t *testing.T, m *Memory) []string {
	t.Helper()
	block := must(m.Recall(t.Context(), RecallRequest{Task: "paint the shed"}))(t)
	list := mapped(block.Facts, func(f api.RecalledFact) string { return f.Text })
	slices.Sort(list)
	return list
}

// TestProvenanceDecides: what a person stated long ago, or had imported, is shown for every
// task, from any file. What agents said is not, except in MEMORY.md, and comes later there.
func TestProvenanceDecides(t *testing.T) {
	l := newRepository(t)
	m := l.memory()
	remembered(t, m, "Stated today.")
	day := filepath.Join(".agentflow", "memory", "2026-09-02.md")
	line := func(n int, text, attributes string) string {
		return fmt.Sprintf("- %s <!-- id=01a1%04d-0000-7000-8000-000000000000 %s -->\n", text, n, attributes)
	}
	l.Write(day, "# Notes\n\n"+line(1, "Stated in September.", "source=hand")+line(2, "Imported.", "source=import:CLAUDE.md")+
		line(3, "Said by an agent.", "source=agent agent=claude")+line(4, "Said in a run.", "source="+"01938f6e-0000-7000-8000-000000000000"))
	l.Write(filepath.Join(".agentflow", "memory", memory.LastingFile), "# Memory\n\n- Written by hand.\n"+line(5, "Promoted.", "source="+"01938f6e-0000-7000-8000-000000000000"))
	block := must(m.Recall(t.Context(), RecallRequest{Task: "paint the shed"}))(t)
	stated, others, _ := strings.Cut(block.Block, "[facts] memory/MEMORY.md")
	for _, want := range []string{"Stated today.", "Stated in September.", "Imported.", "Written by hand."} {
		if !strings.Contains(stated, "> - "+want) {
			t.Errorf("%q is not among what is stated:\n%s", want, block.Block)
		}
	}
	if !strings.Contains(others, "Promoted.") || strings.Contains(block.Block, "Said ") {
		t.Errorf("what agents said:\n%s", block.Block)
	}
}

// TestStandingFactsOfOthers: what a colleague states is shown for every task once the user
// trusts them.
func TestStandingFactsOfOthers(t *testing.T) {
	all, places := people(t, "Ada", "Bob")
	tell(t, all[0], "Deploy on Mondays.", "")
	tell(t, all[1], "Mine.", "")
	syncAll(t, all...)
	if got := recalledTexts(t, all[1]); !slices.Equal(got, []string{"Mine."}) {
		t.Errorf("without trust %q", got)
	}
	places[1].Settings("[share]\ntrust = [\"Ada\"]\n")
	if got := recalledTexts(t, places[1].memory()); !slices.Equal(got, []string{"Deploy on Mondays.", "Mine."}) {
		t.Errorf("with trust %q", got)
	}
}

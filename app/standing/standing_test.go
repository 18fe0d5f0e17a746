package standing_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/recall"
	"agentflow/internal/lists"
	"agentflow/internal/testing/apptest"
	"agentflow/internal/usecount"
	"agentflow/memory"
)

// recalledTexts returns the facts that the block for an unrelated task contains, sorted.
func recalledTexts(t *testing.T, m *app.Memory) []string {
	t.Helper()
	block := apptest.Must(recall.Recall(t.Context(), m, recall.Request{Task: "paint the shed"}))(t)
	list := lists.Mapped(block.Facts, func(f api.RecalledFact) string { return f.Text })
	slices.Sort(list)
	return list
}

// TestProvenanceDecides: a fact that a person stated long ago, or imported, is shown for every
// task, from any file. Agents' facts are not, except in MEMORY.md, where they come later.
func TestProvenanceDecides(t *testing.T) {
	l := apptest.NewRepository(t)
	m := l.Memory()
	apptest.Remembered(t, m, "Stated today.")
	day := filepath.Join(".agentflow", "memory", "2026-09-02.md")
	line := func(n int, text, attributes string) string {
		return fmt.Sprintf("- %s <!-- id=01a1%04d-0000-7000-8000-000000000000 %s -->\n", text, n, attributes)
	}
	l.Write(day, "# Notes\n\n"+line(1, "Stated in September.", "source=hand")+line(2, "Imported.", "source=import:CLAUDE.md")+
		line(3, "Said by an agent.", "source=agent agent=claude")+line(4, "Said in a run.", "source="+"01938f6e-0000-7000-8000-000000000000"))
	l.Write(filepath.Join(".agentflow", "memory", memory.LastingFile), "# Memory\n\n- Written by hand.\n"+line(5, "Promoted.", "source="+"01938f6e-0000-7000-8000-000000000000"))
	block := apptest.Must(recall.Recall(t.Context(), m, recall.Request{Task: "paint the shed"}))(t)
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

// TestMovedFact: a remembered fact that a person moves into MEMORY.md, with its comment, is still shown for every task.
func TestMovedFact(t *testing.T) {
	l := apptest.NewRepository(t)
	m := l.Memory()
	apptest.Remembered(t, m, "Parser tests need SEED.")
	lasting, day := filepath.Join(".agentflow", "memory", memory.LastingFile), filepath.Join(".agentflow", "memory", memory.DayFile(time.Now()))
	_, bullet, found := strings.Cut(l.Read(day), "\n- ")
	if !found {
		t.Fatalf("no bullet in %q", l.Read(day))
	}
	l.Write(lasting, "# Generated memory lexer\n\n- "+bullet+"\n## Lexer\n\n- The lexer is generated.\n")
	if err := os.Remove(l.Path(day)); err != nil {
		t.Fatal(err)
	}
	block := apptest.Must(recall.Recall(t.Context(), m, recall.Request{Task: "generated memory lexer", Explain: true}))(t)
	texts := lists.Mapped(block.Facts, func(f api.RecalledFact) string { return f.Text })
	slices.Sort(texts)
	if want := []string{"Lexer: The lexer is generated.", "Parser tests need SEED."}; !slices.Equal(texts, want) {
		t.Errorf("shown %q, want %q", texts, want)
	}
	if len(block.Hits) > 0 {
		t.Errorf("the heading is shown too: %v", block.Hits)
	}
}

// TestStandingFactsOfOthers: a colleague's stated facts are shown for every task once the user
// trusts the colleague.
func TestStandingFactsOfOthers(t *testing.T) {
	all, places := apptest.People(t, "Ada", "Bob")
	apptest.Tell(t, all[0], "Deploy on Mondays.", "")
	apptest.Tell(t, all[1], "Mine.", "")
	apptest.SyncAll(t, all...)
	if got := recalledTexts(t, all[1]); !slices.Equal(got, []string{"Mine."}) {
		t.Errorf("without trust %q", got)
	}
	places[1].Settings("[share]\ntrust = [\"Ada\"]\n")
	if got := recalledTexts(t, places[1].Memory()); !slices.Equal(got, []string{"Deploy on Mondays.", "Mine."}) {
		t.Errorf("with trust %q", got)
	}
}

// TestUsesOfEveryFactCount: if not all facts fit, those that were used come
// first, whether they are in MEMORY.md or in the file of a day.
func TestUsesOfEveryFactCount(t *testing.T) {
	for _, name := range []string{memory.LastingFile, "2026-09-02.md"} {
		l := apptest.NewRepository(t)
		l.Settings("[recall]\nstanding = 18\n")
		m := l.Memory()
		file := usecount.File{Dir: l.Path(".git/agentflow")}
		if err := os.MkdirAll(file.Dir, 0o755); err != nil {
			t.Fatal(err)
		}
		const line = "- %s <!-- id=01a1%04d-0000-7000-8000-000000000000 source=hand created=2026-09-02T10:00:00Z -->\n"
		l.Write(filepath.Join(".agentflow", "memory", name), "# Memory\n\n"+fmt.Sprintf(line, "Amounts are in cents.", 1)+fmt.Sprintf(line, "Times are in UTC.", 2))
		for n, want := range []string{"Amounts are in cents.", "Times are in UTC."} {
			id := fmt.Sprintf("01a1%04d-0000-7000-8000-000000000000", n+1)
			for range 50 * (n*n*3 + 1) {
				file.Add(t.Context(), usecount.Prompt, []string{id}, time.Now())
			}
			if got := recalledTexts(t, m); !slices.Equal(got, []string{want}) {
				t.Errorf("%s: %q is shown, want %q", name, got, want)
			}
		}
	}
}

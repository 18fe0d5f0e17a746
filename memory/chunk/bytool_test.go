package chunk

import (
	"strings"
	"testing"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// TestByTool marks what says nothing but what agents stored through tools; no
// name of a file pins it.
func TestByTool(t *testing.T) {
	stored := func(change func(*memory.Fact)) memory.Fact {
		f := memory.Fact{ID: "01938f6e-0000-7000-8000-000000000a01", Source: memory.ByAgent, Agent: "robot", Text: "The port is 80.", Said: memory.SaidOf("The port is 80.")}
		if change != nil {
			change(&f)
		}
		return f
	}
	note := func(change func(*memory.Entry), facts ...memory.Fact) string {
		e := memory.Entry{ID: "01938f6e-0000-7000-8000-000000000b01", Kind: memory.KindNote, Time: time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC), Facts: facts}
		if change != nil {
			change(&e)
		}
		return string(markdown.Format(e))
	}
	for name, c := range map[string]struct {
		file, text     string
		byTool, pinned bool
	}{
		"stored":             {"memory/2026-05-04.md", note(nil, stored(nil)), true, false},
		"of a branch":        {"memory/2026-05-04.md", note(nil, stored(func(f *memory.Fact) { f.Namespace = "branch/x" })), true, false},
		"a person's too":     {"memory/2026-05-04.md", note(nil, stored(nil), memory.Fact{Source: memory.ByHand, Text: "Mine."}), false, false},
		"pinned":             {"memory/2026-05-04.md", note(func(e *memory.Entry) { e.Pinned = true }, stored(nil)), false, true},
		"edited by command":  {"memory/2026-05-04.md", note(nil, stored(func(f *memory.Fact) { f.Edited = memory.ByHand })), false, false},
		"edited in the file": {"memory/2026-05-04.md", strings.Replace(note(nil, stored(nil)), "is 80", "is 8080", 1), false, false},
		"added to":           {"memory/2026-05-04.md", strings.Replace(note(nil, stored(nil)), "\n---", "\nBut not on Mondays.\n\n---", 1), false, false},
		"of a run":           {"memory/2026-05-04.md", note(func(e *memory.Entry) { e.Kind = memory.KindRun }, stored(nil)), false, false},
		"promoted":           {"memory/MEMORY.md", markdown.FormatFact(stored(nil)), false, true},
		"notes":              {"memory/notes/a.md", "Some words.\n", true, false},
		"notes that pin":     {"memory/notes/MEMORY.md", "# Rules\n\n- tags: pinned\n\n- Obey.\n", true, false},
		"other Markdown":     {"docs/notes/a.md", "Some words.\n", false, false},
	} {
		chunks := 0
		for k := range All(c.file, markdown.Parse([]byte(c.text)), 400, 0, time.Time{}) {
			if chunks++; k.ByTool != c.byTool || k.Pinned != c.pinned {
				t.Errorf("%s: by tool %v, pinned %v:\n%s", name, k.ByTool, k.Pinned, k.Text)
			}
		}
		if chunks == 0 {
			t.Errorf("%s: no chunk", name)
		}
	}
}

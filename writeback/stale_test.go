package writeback

import (
	"strings"
	"testing"

	"agentflow/memory"
	"agentflow/writeback/internal/view"
)

const (
	kept1 = "- alpha <!-- id=0199aaaa-bbbb-7ccc-8ddd-0000000000a1 -->\n"
	came1 = "- beta <!-- id=0199aaaa-bbbb-7ccc-8ddd-0000000000a2 -->\n"
	came2 = "- gamma <!-- id=0199aaaa-bbbb-7ccc-8ddd-0000000000a3 -->\n"
)

// move makes the change that moves the contents of the daily file to MEMORY.md.
func (p *place) move(after string) {
	p.t.Helper()
	err := p.open().Revise(p.t.Context(), func(files map[string][]byte) (Change, error) {
		return Change{Command: "consolidate", Edits: []memory.FileEdit{
			{File: "MEMORY.md", Before: files["MEMORY.md"], After: []byte(after)},
			{File: "2026-11-20.md", Before: files["2026-11-20.md"], After: []byte("# 2026-11-20\n")},
		}}, nil
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

// TestStaleSaveOverAMove: an editor saves MEMORY.md as it was before facts were moved there. They
// come back after the saved text, whether the log still holds the change or a checkpoint took its
// place, and with any kind of next writer.
func TestStaleSaveOverAMove(t *testing.T) {
	for name, next := range map[string]func(*place){
		"recover": func(p *place) { p.recover() },
		"record":  func(p *place) { p.record(entry(2)); p.recover() },
		"forget": func(p *place) {
			if _, err := p.open().Forget(p.t.Context(), entry(1).ID); err != nil {
				p.t.Fatal(err)
			}
		},
	} {
		for _, rotate := range []int64{1, 1 << 20} {
			p := newPlace(t)
			p.RotateAt = rotate
			p.record(entry(1))
			p.write("MEMORY.md", "# Memory\n\n"+kept1)
			p.write("2026-11-20.md", "# 2026-11-20\n\n"+came1+came2)
			p.recover()
			before := p.read("MEMORY.md")
			p.move("# Memory\n\n" + kept1 + came1 + came2)
			p.write("MEMORY.md", before+"- mine\n")
			next(p)
			got := p.read("MEMORY.md")
			for _, line := range []string{kept1, came1, came2, "- mine\n"} {
				if strings.Count(got, line) != 1 {
					t.Errorf("%s, rotated at %d: %q stands %d times in\n%s", name, rotate, line, strings.Count(got, line), got)
				}
			}
			if r := p.recover(); len(r.Vanished) > 0 || p.read("MEMORY.md") != got {
				t.Errorf("%s, rotated at %d: vanished %v; then\n%s", name, rotate, r.Vanished, p.read("MEMORY.md"))
			}
		}
	}
}

// TestStaleSaveOverAMerge: what was merged into a fact that the editor had read
// before comes back with the words of both.
func TestStaleSaveOverAMerge(t *testing.T) {
	p := newPlace(t)
	p.write("MEMORY.md", "# Memory\n\n"+kept1)
	p.write("2026-11-20.md", "# 2026-11-20\n\n"+came1)
	p.recover()
	p.move("# Memory\n\n- alpha and beta <!-- id=0199aaaa-bbbb-7ccc-8ddd-0000000000a1 merged=0199aaaa-bbbb-7ccc-8ddd-0000000000a2 -->\n")
	p.write("MEMORY.md", "# Memory\n\n"+kept1+"- mine\n")
	p.recover()
	if got := p.read("MEMORY.md"); !strings.Contains(got, "alpha and beta") || !strings.Contains(got, "- mine\n") {
		t.Errorf("the file holds\n%s", got)
	}
}

// TestRewrittenAfterAMerge: an editor that rewrites a fact into which another was merged, and keeps
// its id, has seen it.
func TestRewrittenAfterAMerge(t *testing.T) {
	p := newPlace(t)
	p.write("MEMORY.md", "# Memory\n\n"+kept1)
	p.write("2026-11-20.md", "# 2026-11-20\n\n"+came1)
	p.recover()
	p.move("# Memory\n\n- alpha and beta <!-- id=0199aaaa-bbbb-7ccc-8ddd-0000000000a1 merged=0199aaaa-bbbb-7ccc-8ddd-0000000000a2 -->\n")
	mine := "# Memory\n\n- both, in my words <!-- id=0199aaaa-bbbb-7ccc-8ddd-0000000000a1 -->\n"
	p.write("MEMORY.md", mine)
	p.recover()
	if got := p.read("MEMORY.md"); got != mine {
		t.Errorf("the file holds\n%s", got)
	}
}

// TestLateSaveTakesOut: what a person takes out later, having seen it, has
// vanished by hand, and comes back only when that is asked for.
func TestLateSaveTakesOut(t *testing.T) {
	p := newPlace(t)
	p.write("MEMORY.md", "# Memory\n\n"+kept1)
	p.write("2026-11-20.md", "# 2026-11-20\n\n"+came1)
	p.recover()
	before := p.read("MEMORY.md")
	p.move("# Memory\n\n" + kept1 + came1)
	p.write("MEMORY.md", before)
	p.later("MEMORY.md", 2*view.StaleSave)
	if r := p.recover(); len(r.Vanished) != 1 || p.read("MEMORY.md") != before {
		t.Errorf("vanished %v, the file holds\n%s", r.Vanished, p.read("MEMORY.md"))
	}
}

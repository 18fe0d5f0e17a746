package writeback

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// TestTwoRememberTheSameAtOnce: the search for a fact that says the same is under the lock, so one
// note is written, and the other callers get that one.
func TestTwoRememberTheSameAtOnce(t *testing.T) {
	p := newPlace(t)
	const writers = 8
	var all sync.WaitGroup
	done := make([]Remembered, writers)
	errs := make([]error, writers)
	stores := make([]*Store, writers)
	for i := range stores {
		stores[i] = p.open()
	}
	for i, s := range stores {
		all.Go(func() {
			text := "Use tabs" + []string{"", "."}[i%2]
			done[i], errs[i] = s.Remember(t.Context(), memory.Fact{Text: text}, day.Add(time.Duration(i)*24*time.Hour), Meta{})
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	written := map[string]bool{}
	for _, d := range done {
		if d.Existing == nil {
			written[d.Entry.Facts[0].ID] = true
		}
	}
	for i, d := range done {
		if d.Existing != nil && !written[d.Existing.ID] {
			t.Errorf("writer %d was told of fact %s, which nobody wrote", i, d.Existing.ID)
		}
	}
	if facts := p.facts(); len(facts) != 1 || len(written) != 1 {
		t.Errorf("%d facts stand in Markdown, and %d writers wrote one: %q", len(facts), len(written), facts)
	}
	if r := p.recover(); len(r.Finished)+len(r.Vanished) > 0 {
		t.Errorf("the next command finds something to do: %+v", r)
	}
}

// TestRememberWritesWhatIsNotSaid: what holds elsewhere or no longer is no
// reason not to write a fact.
func TestRememberWritesWhatIsNotSaid(t *testing.T) {
	p := newPlace(t)
	p.write("MEMORY.md", "- ~~Use tabs~~ <!-- id=0199aaaa-bbbb-7ccc-8ddd-000000000001 -->\n"+
		"- Use tabs <!-- id=0199aaaa-bbbb-7ccc-8ddd-000000000002 ns=branch/old -->\n"+
		"- Use tabs <!-- id=0199aaaa-bbbb-7ccc-8ddd-000000000003 expires=2026-01-01 -->\n"+
		"- Use tabs, always <!-- id=0199aaaa-bbbb-7ccc-8ddd-000000000004 -->\n")
	p.recover()
	for i := range 2 {
		d, err := p.open().Remember(t.Context(), memory.Fact{Text: "Use tabs"}, day, Meta{})
		if err != nil || (d.Existing != nil) != (i == 1) {
			t.Fatalf("%d: %+v, %v", i, d, err)
		}
	}
}

// facts are those of all files.
func (p *place) facts() (said []string) {
	p.t.Helper()
	files, err := list(p.Memory)
	if err != nil {
		p.t.Fatal(err)
	}
	for name := range files {
		for _, b := range markdown.Parse([]byte(p.read(name))).Blocks {
			for _, f := range b.Facts {
				said = append(said, fmt.Sprintf("%s: %s", name, f.Text))
			}
		}
	}
	return said
}

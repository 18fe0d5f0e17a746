package writeback

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/internal/testing/randomtest"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/items"
)

// undoWorld is a memory in which a random change is made and then other things happen, with a model
// of the entries and facts that may come back when the change is undone.
type undoWorld struct {
	*place
	rand    *rand.Rand
	n       int                    // numbers facts, entries and lines
	before  map[string]memory.Fact // that stood before the change, by id
	removed map[string]bool        // ids that were taken out since
	added   map[string]bool        // own ids of facts that came since, and not by the change
	back    map[string]bool        // ids that were restored since: these stay as they were restored
	pinned  map[string]bool        // ids of facts that were pinned since
	lines   []string               // by hand, since
	change  Change
}

func (w *undoWorld) fact() memory.Fact {
	w.n++
	return memory.Fact{ID: fmt.Sprintf("0199aaaa-0000-7000-8000-%012d", w.n), Type: memory.Semantic, Text: fmt.Sprintf("Fact %d says this.", w.n)}
}

func (w *undoWorld) entry() memory.Entry {
	w.n++
	e := entry(w.n % 50)
	e.ID = fmt.Sprintf("0199bbbb-0000-7000-8000-%012d", w.n)
	if w.rand.IntN(3) == 0 {
		e.Time = e.Time.AddDate(0, 0, -1)
	}
	for range w.rand.IntN(4) {
		e.Facts = append(e.Facts, w.fact())
	}
	return e
}

func (w *undoWorld) contents() map[string][]byte {
	files := map[string][]byte{}
	for name, text := range w.files() {
		files[name] = []byte(text)
	}
	return files
}

// facts returns the facts in memory, by their own ids. A fact that occurs twice is an error.
func (w *undoWorld) facts() map[string]memory.Fact {
	w.t.Helper()
	all := map[string]memory.Fact{}
	for name, content := range w.contents() {
		for _, f := range markdown.Parse(content).Facts() {
			if _, twice := all[f.ID]; twice {
				w.t.Errorf("%s stands twice, the second time in %s", f.ID, name)
			}
			all[f.ID] = f.Fact
		}
	}
	return all
}

func (w *undoWorld) any(facts map[string]memory.Fact) string {
	ids := slices.Sorted(maps.Keys(facts))
	if len(ids) == 0 {
		return ""
	}
	return ids[w.rand.IntN(len(ids))]
}

func (w *undoWorld) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// make makes a random change, as consolidation or an import would.
func (w *undoWorld) make() (id string) {
	now := w.contents()
	after := maps.Clone(now)
	take := func(id string) {
		for name, content := range after {
			rest, _ := markdown.Parse(content).RemoveAll(func(other string) bool { return other == id })
			after[name] = rest
		}
	}
	appended := ""
	into := memory.Fact{}
	for _, id := range slices.Sorted(maps.Keys(w.before)) {
		f := w.before[id]
		switch w.rand.IntN(9) {
		case 0:
			take(id)
			appended += markdown.FormatFact(f)
		case 1:
			take(id)
			w.change.Forget = append(w.change.Forget, id)
		case 2:
			f.Struck = true
			for name, content := range after {
				if text, ok := markdown.Parse(content).Replace(id, f); ok {
					after[name] = text
				}
			}
		case 3:
			if into.ID != "" {
				take(id)
				into.Merged = append(into.Merged, memory.Origin{ID: id})
				for name, content := range after {
					if text, ok := markdown.Parse(content).Replace(into.ID, into); ok {
						after[name] = text
					}
				}
			}
		case 4:
			into = memory.Fact{}
		default:
			if into.ID == "" {
				into = f
			}
		}
	}
	for range w.rand.IntN(3) {
		appended += markdown.FormatFact(w.fact())
	}
	if appended != "" {
		after["MEMORY.md"] = append(append(after["MEMORY.md"], "\n"...), appended...)
	}
	if _, there := after["2026-11-20.md"]; there && w.rand.IntN(2) == 0 {
		after["archive/2026-11.md"] = append(append(after["archive/2026-11.md"], "# 2026-11\n\n"...), after["2026-11-20.md"]...)
		delete(after, "2026-11-20.md")
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if string(after[name]) != string(now[name]) {
			w.change.Edits = append(w.change.Edits, memory.FileEdit{File: name, Before: now[name], After: after[name]})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if _, stays := after[name]; !stays {
			w.change.Edits = append(w.change.Edits, memory.FileEdit{File: name, Before: now[name]})
		}
	}
	w.change.Command, w.change.Title, w.change.Kept = "consolidate", "at random", &id
	w.must(w.open().Apply(w.t.Context(), w.change))
	return id
}

// then does one random thing after the change.
func (w *undoWorld) then() (what string) {
	before, s := items.AllIDs(w.contents()), w.open()
	id := w.any(w.facts())
	edit := func(text string) {
		w.write("MEMORY.md", text)
		late := time.Now().Add(time.Minute) // not a save of a buffer that was read before
		w.must(os.Chtimes(w.path("MEMORY.md"), late, late))
	}
	w.n++
	line := fmt.Sprintf("Line %d by hand.", w.n)
	switch what = []string{"record", "append", "insert", "forget", "forget", "restore", "purge", "purge what is lost", "take out", "rotate", "pin"}[w.rand.IntN(11)]; what {
	case "record":
		e := w.entry()
		w.record(e)
		for _, f := range e.Facts {
			w.added[f.ID] = true
		}
	case "append":
		edit(w.read("MEMORY.md") + "\n" + line + "\n")
		w.lines = append(w.lines, line)
	case "insert":
		edit(strings.Replace(w.read("MEMORY.md"), "# Memory\n", "# Memory\n\n"+line+"\n", 1))
		w.lines = append(w.lines, line)
	case "forget":
		if id == "" {
			return "nothing"
		}
		_, err := s.Forget(w.t.Context(), id)
		w.must(err)
	case "purge":
		if id == "" {
			return "nothing"
		}
		_, err := s.Purge(w.t.Context(), []string{id}, Traces{})
		w.must(err)
	case "purge what is lost":
		lost, err := s.Lost(w.t.Context())
		w.must(err)
		if len(lost) > 0 {
			id := lost[w.rand.IntN(len(lost))].ID
			_, err := s.Purge(w.t.Context(), []string{id}, Traces{})
			w.must(err)
			w.removed[id] = true
			what += " " + id
		}
	case "restore":
		lost, err := s.Lost(w.t.Context())
		w.must(err)
		if len(lost) > 0 {
			id := lost[w.rand.IntN(len(lost))].ID
			_, err := s.Restore(w.t.Context(), []string{id})
			w.must(err)
			w.back[id] = true
		}
	case "take out":
		if id == "" {
			return "nothing"
		}
		var left []string
		for l := range strings.Lines(w.read("MEMORY.md")) {
			if !strings.Contains(l, id) {
				left = append(left, l)
			}
		}
		edit(strings.Join(left, ""))
	case "rotate":
		w.RotateAt = 1
	case "pin":
		if id == "" {
			return "nothing"
		}
		_, err := s.Pin(w.t.Context(), id, true)
		w.must(err)
		w.pinned[id] = true
	}
	w.recover()
	after := items.AllIDs(w.contents())
	for id := range before {
		if !after[id] {
			w.removed[id] = true
		}
	}
	for id := range after {
		delete(w.removed, id)
	}
	return what
}

// check compares memory after the undo with the model.
func (w *undoWorld) check() {
	w.t.Helper()
	facts := w.facts()
	for id, f := range w.before {
		now, stands := facts[id]
		switch {
		case stands == w.removed[id]:
			w.t.Errorf("%s stands: %v, was taken out: %v", id, stands, w.removed[id])
		case stands && !w.back[id] && (now.Text != f.Text || now.Struck || len(now.Merged) > 0):
			w.t.Errorf("%s says %+v, not %+v", id, now, f)
		case stands && w.barred(id):
			w.t.Errorf("%s stands and is barred", id)
		}
	}
	for id := range facts {
		if _, stood := w.before[id]; !stood && !w.added[id] && !w.pinned[id] {
			w.t.Errorf("%s stands, and the change brought it", id)
		}
	}
	for id := range w.added {
		if _, stands := facts[id]; stands == w.removed[id] {
			w.t.Errorf("%s came since, stands: %v, was taken out: %v", id, stands, w.removed[id])
		}
	}
	for id := range w.pinned {
		if _, stands := facts[id]; stands == w.removed[id] {
			w.t.Errorf("%s was pinned since, stands: %v, was taken out: %v", id, stands, w.removed[id])
		}
	}
	text := strings.Join(slices.Collect(maps.Values(w.files())), "\n")
	for _, line := range w.lines {
		if strings.Count(text, line+"\n") != 1 {
			w.t.Errorf("%q stands %d times", line, strings.Count(text, line+"\n"))
		}
	}
}

// TestUndoAtRandom makes random changes, lets random things happen, takes the
// change back, and compares memory with a model; the undo is taken back too.
func TestUndoAtRandom(t *testing.T) {
	undone, refused := 0, 0
	randomtest.Check(t, randomtest.Cases(t, 60), func(t *testing.T, random *rand.Rand) {
		w := &undoWorld{place: ticking(newPlace(t)), rand: random, removed: map[string]bool{}, added: map[string]bool{}, back: map[string]bool{}, pinned: map[string]bool{}}
		w.RotateAt = 1 << 20
		for range 3 {
			w.record(w.entry())
		}
		text := "# Memory\n\nBy hand.\n\n"
		for range random.IntN(5) {
			text += markdown.FormatFact(w.fact())
		}
		w.write("MEMORY.md", text)
		w.recover()
		w.before = w.facts()
		first := w.files()
		id := w.make()
		if id == "" {
			return // it changed nothing
		}
		var happened []string
		for range random.IntN(6) {
			happened = append(happened, w.then())
		}
		now := w.files()
		plan, err := w.open().PlanUndo(t.Context(), id)
		var overlap *OverlapError
		switch {
		case errors.As(err, &overlap):
			refused++
			if len(happened) == 0 {
				t.Errorf("%v", err)
			}
			w.wantFiles(now)
		case errors.Is(err, ErrNotFound) && slices.ContainsFunc(happened, func(what string) bool { return strings.HasPrefix(what, "purge") }):
			refused++ // a purged text is elsewhere in a kept change
		case err != nil:
			t.Errorf("%v", err)
		default:
			undone++
			by, err := w.open().Undo(t.Context(), plan)
			if err != nil || (by == "") != (len(plan.Edits) == 0) {
				t.Fatalf("undo of %d edits is %q: %v", len(plan.Edits), by, err)
			}
			if len(happened) == 0 {
				w.wantFiles(first)
			}
			w.check()
			if r := w.recover(); len(r.Changes)+len(r.Finished) > 0 {
				t.Errorf("%+v", r)
			}
			if by != "" {
				w.undo(by)
			}
			w.wantFiles(now)
		}
		if t.Failed() {
			t.Fatalf("after %q", happened)
		}
	})
	t.Logf("%d undone, %d refused", undone, refused)
	if refused > undone/2 {
		t.Errorf("%d were refused, %d undone", refused, undone)
	}
}

package writeback

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentflow/memory"
	"agentflow/writeback/internal/archive"
)

var undoable = Meta{Branch: "main", Undo: true}

// noted remembers a text, and gives the id by which that is taken back and the fact's.
func (p *place) noted(text string) (id, fact string) {
	p.t.Helper()
	done, err := p.open().Remember(p.t.Context(), memory.Fact{Type: memory.Semantic, Text: text}, p.Now(), undoable)
	if err != nil || done.Existing != nil {
		p.t.Fatalf("%+v, %v", done, err)
	}
	return done.Entry.ID, done.Entry.Facts[0].ID
}

// TestUndoOfNotes takes notes out again in every order: in a file that is not there, that has
// an entry, notes, or text of a person. Later notes and their headings stay, and all is made again.
func TestUndoOfNotes(t *testing.T) {
	texts := []string{"Otters swim.", "Badgers dig.", "Newts climb."}
	today := memory.DayFile(day)
	for name, prepare := range map[string]func(*place){
		"nothing":  func(p *place) {},
		"an entry": func(p *place) { p.record(entry(1)) },
		"notes":    func(p *place) { p.noted("Seals eat.") },
		"by hand":  func(p *place) { p.write(today, "# Mine\n\nNo newline") },
		"empty":    func(p *place) { p.write(today, "") },
	} {
		for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 0, 2}, {0, 2, 1}, {1, 2, 0}, {2, 0, 1}} {
			t.Run(fmt.Sprint(name, order), func(t *testing.T) {
				p := ticking(newPlace(t))
				prepare(p)
				before := p.files()
				var ids []string
				for _, text := range texts {
					id, _ := p.noted(text)
					ids = append(ids, id)
				}
				whole := p.files()
				var undos []string
				left := slices.Clone(texts)
				for _, i := range order {
					undos = append(undos, p.undo(ids[i]))
					left = slices.DeleteFunc(left, func(text string) bool { return text == texts[i] })
					said := p.facts()
					for i := range said {
						said[i] = strings.TrimPrefix(said[i], today+": ")
					}
					said = slices.DeleteFunc(said, func(text string) bool { return !slices.Contains(texts, text) })
					if slices.Sort(said); !slices.Equal(said, slices.Sorted(slices.Values(left))) {
						t.Fatalf("memory says %q, want %q: %q", said, left, p.files()[today])
					}
					if text := p.files()[today]; strings.Contains(text, "\n\n\n") {
						t.Errorf("%q", text)
					}
				}
				if order[0] == 2 && order[1] == 1 {
					p.wantFiles(before)
				} else if text := p.files()[today]; !strings.HasPrefix(text, strings.TrimRight(before[today], "\n")) || strings.Contains(text, "## Notes") != (name == "notes") {
					t.Errorf("%q", text)
				}
				slices.Reverse(undos)
				for _, id := range undos {
					p.undo(id)
				}
				p.wantFiles(whole)
				if r := p.recover(); len(r.Vanished)+len(r.Changes)+len(r.Degraded) > 0 {
					t.Errorf("%+v", r)
				}
			})
		}
	}
}

// TestUndoOfNoteBeforeAnEntry leaves no heading of notes without notes.
func TestUndoOfNoteBeforeAnEntry(t *testing.T) {
	p := ticking(newPlace(t))
	id, _ := p.noted("Otters swim.")
	p.record(entry(1))
	p.undo(id)
	if text := p.read(memory.DayFile(day)); strings.Contains(text, "# Notes") || strings.Contains(text, "Otters") {
		t.Errorf("%q", text)
	}
	p.wantOnce(entry(1))
}

// TestUndoOfReplacing brings back the fact that a new one replaced, byte for byte.
func TestUndoOfReplacing(t *testing.T) {
	for _, later := range []bool{false, true} {
		p := ticking(newPlace(t))
		_, old := p.noted("The port is 1.")
		before := p.files()
		done, err := p.open().Supersede(t.Context(), memory.Fact{Type: memory.Semantic, Text: "The port is 2.", Supersedes: old}, p.Now(), undoable)
		if err != nil {
			t.Fatal(err)
		}
		after := p.files()
		if later {
			p.noted("Otters swim.")
		}
		made, err := p.open().Archive.Made()
		at := slices.IndexFunc(made, func(m Made) bool { return m.Title == archive.RememberTitle(done.Entry.Facts[0].ID) })
		if err != nil || at < 0 {
			t.Fatalf("%+v, %v", made, err)
		}
		by := p.undo(made[at].ID)
		if !later {
			p.wantFiles(before)
			p.undo(by)
			p.wantFiles(after)
		} else if text := p.read(memory.DayFile(day)); strings.Contains(text, "port is 2") || strings.Contains(text, "~~") || !strings.Contains(text, "Otters") {
			t.Errorf("%q", text)
		}
	}
}

// TestUndoOfEditedNote: a note that was edited since stays as it is, and so does one that another replaced.
func TestUndoOfEditedNote(t *testing.T) {
	p := ticking(newPlace(t))
	id, fact := p.noted("Otters swim.")
	p.noted("Badgers dig.")
	today, whole := memory.DayFile(day), p.files()
	p.write(today, strings.Replace(p.read(today), "Otters swim", "Otters dive", 1))
	var overlap *OverlapError
	if _, err := p.open().PlanUndo(t.Context(), id); !errors.As(err, &overlap) || !slices.Equal(overlap.Files, []string{today}) {
		t.Error(err)
	}
	p.write(today, whole[today])
	if _, err := p.open().Supersede(t.Context(), memory.Fact{Type: memory.Semantic, Text: "Otters walk.", Supersedes: fact}, p.Now(), undoable); err != nil {
		t.Fatal(err)
	}
	if _, err := p.open().PlanUndo(t.Context(), id); !errors.As(err, &overlap) || len(overlap.Later) == 0 || !strings.HasPrefix(overlap.Later[0].Title, "remembering of ") {
		t.Error(err)
	}
}

// TestNotesKept: the number of kept notes is bounded, a note that no command can take back is not
// kept, and no kept change holds a purged text.
func TestNotesKept(t *testing.T) {
	p := ticking(newPlace(t))
	if _, err := p.open().Remember(t.Context(), memory.Fact{Type: memory.Semantic, Text: "An agent says."}, p.Now(), Meta{}); err != nil {
		t.Fatal(err)
	}
	if made, err := p.open().Archive.Made(); len(made) > 0 || err != nil {
		t.Errorf("%+v, %v", made, err)
	}
	var first string
	for i := range archive.MaxKept + 3 {
		_, fact := p.noted(fmt.Sprintf("Secret number %d.", i))
		if i == 5 {
			first = fact
		}
	}
	made, err := p.open().Archive.Made()
	if err != nil || len(made) != archive.MaxKept {
		t.Fatalf("%d are kept, %v", len(made), err)
	}
	if _, err := p.open().Purge(t.Context(), []string{first}, Traces{}); err != nil {
		t.Fatal(err)
	}
	ids, err := p.open().Archive.KeptIDs()
	if err != nil || len(ids) == 0 {
		t.Fatal(ids, err)
	}
	for _, id := range ids {
		data, err := os.ReadFile(filepath.Join(p.State, "changes", id))
		if err != nil || strings.Contains(string(data), "number 5") || strings.Contains(string(data), first) {
			t.Errorf("%v: %s", err, data)
		}
	}
	if made, err = p.open().Archive.Made(); err != nil || len(made) != archive.MaxKept-1 {
		t.Errorf("%d are kept after the purge, %v", len(made), err)
	}
	p.undo(made[0].ID)
	if text := p.read(memory.DayFile(day)); strings.Contains(text, "number 12") || !strings.Contains(text, "number 11") {
		t.Errorf("%q", text)
	}
}

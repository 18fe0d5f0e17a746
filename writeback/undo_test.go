package writeback

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/archive"
	"agentflow/writeback/internal/view"
)

// ticking gives a place a clock that advances with each look at it, so that the newest change is
// the last one made.
func ticking(p *place) *place {
	now := day
	p.Now = func() time.Time { now = now.Add(time.Second); return now }
	return p
}

// kept makes a change of moving that can be taken back.
func keptChange(t *testing.T) (p *place, c Change, before map[string]string, id string) {
	t.Helper()
	p, c, before = moving(t)
	ticking(p)
	c.Kept = &id
	if err := p.open().Apply(t.Context(), c); err != nil || id == "" {
		t.Fatalf("kept as %q, %v", id, err)
	}
	return p, c, before, id
}

func (p *place) undo(id string) string {
	p.t.Helper()
	plan, err := p.open().PlanUndo(p.t.Context(), id)
	if err != nil {
		p.t.Fatalf("planning: %v", err)
	}
	by, err := p.open().Undo(p.t.Context(), plan)
	if err != nil || by == "" {
		p.t.Fatalf("undo is %q: %v", by, err)
	}
	return by
}

func (p *place) barred(id string) bool {
	p.t.Helper()
	barred, err := p.open().Barred(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	return barred(id)
}

func (p *place) wantFiles(want map[string]string) {
	p.t.Helper()
	if got := p.files(); !same(got, want) {
		for name := range maps.Keys(got) {
			p.t.Errorf("%s holds %q, want %q", name, got[name], want[name])
		}
		p.t.Errorf("files %q, want %q", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}

// TestUndo takes a change back, and the undo of it, and the change again, across
// a rotation of the log or none.
func TestUndo(t *testing.T) {
	for _, rotate := range []int64{1, 1 << 20} {
		p, c, before, id := keptChange(t)
		p.RotateAt = rotate
		drop := c.Forget[0]
		plan, err := p.open().PlanUndo(t.Context(), id)
		if err != nil || len(plan.Returns) != 1 || plan.Returns[0].ID != drop || len(plan.Leaves) != 0 || len(plan.Edits) != 3 {
			t.Fatalf("%+v, %v", plan, err)
		}
		by := p.undo(id)
		p.wantFiles(before)
		if p.barred(drop) {
			t.Error("what came back is barred")
		}
		if _, err := p.open().PlanUndo(t.Context(), id); !errors.Is(err, ErrUndone) {
			t.Error(err)
		}
		if lost, err := p.open().Lost(t.Context()); err != nil || len(lost) > 0 {
			t.Errorf("lost are %v, %v", lost, err)
		}
		again := p.undo(by)
		p.wantFiles(after(c, before))
		if !p.barred(drop) {
			t.Error("what the change forgot is not barred")
		}
		p.undo(id)
		p.wantFiles(before)
		if p.barred(drop) {
			t.Error("what came back is barred")
		}
		made, err := p.open().Archive.Made()
		if err != nil || len(made) != 4 || made[0].Undone || !made[3].Undone || made[1].ID != again || made[2].Undoes != id {
			t.Errorf("%+v, %v", made, err)
		}
		if r := p.recover(); len(r.Changes)+len(r.Vanished)+len(r.Finished) > 0 {
			t.Errorf("recovering afterwards reports %+v", r)
		}
		if _, err := p.open().PlanUndo(t.Context(), "../log"); !errors.Is(err, ErrNotFound) {
			t.Error(err)
		}
	}
}

// trimmed are files less the blank lines at their ends, which an entry leaves
// that is taken out.
func trimmed(files map[string]string) map[string]string {
	out := map[string]string{}
	for name, text := range files {
		out[name] = strings.TrimRight(text, "\n")
	}
	return out
}

// TestUndoAfter does other things between a change and its undo.
func TestUndoAfter(t *testing.T) {
	const keep, drop = "0199aaaa-0000-7000-8000-00000000f001", "0199aaaa-0000-7000-8000-00000000f002"
	daily := memory.DayFile(entry(1).Time)
	cut := func(text, line string) string {
		var left []string
		for l := range strings.Lines(text) {
			if !strings.Contains(l, line) {
				left = append(left, l)
			}
		}
		return strings.Join(left, "")
	}
	must := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		act  func(*testing.T, *place)
		want func(before map[string]string) // turns them into the expected files
		gone []string                       // ids that are barred
	}{
		"an entry was recorded": {
			act:  func(t *testing.T, p *place) { p.record(entry(2)) },
			want: nil, // see below
		},
		"a line was appended": {
			act:  func(t *testing.T, p *place) { p.write("MEMORY.md", p.read("MEMORY.md")+"\nMine.\n") },
			want: func(f map[string]string) { f["MEMORY.md"] += "\nMine.\n" },
		},
		"a line was put in": {
			act: func(t *testing.T, p *place) {
				p.write("MEMORY.md", strings.Replace(p.read("MEMORY.md"), "# Memory\n", "# Memory\n\nMine.\n", 1))
			},
			want: func(f map[string]string) { f["MEMORY.md"] = "# Memory\n\nMine.\n\nBy hand.\n" },
		},
		"what was moved was forgotten": {
			act:  func(t *testing.T, p *place) { _, err := p.open().Forget(t.Context(), keep); must(t, err) },
			want: func(f map[string]string) { f[daily] = cut(f[daily], keep) },
			gone: []string{keep, memory.TextID("Keep me.")},
		},
		"what was moved was purged": {
			act: func(t *testing.T, p *place) {
				_, err := p.open().Purge(t.Context(), []string{keep}, Traces{})
				must(t, err)
			},
			want: func(f map[string]string) { f[daily] = cut(f[daily], keep) },
			gone: []string{keep, memory.TextID("Keep me.")},
		},
		"what was moved was taken out by hand": {
			act: func(t *testing.T, p *place) {
				p.write("MEMORY.md", cut(p.read("MEMORY.md"), keep))
				late := time.Now().Add(time.Minute) // not a save of a buffer that was read before
				must(t, os.Chtimes(p.path("MEMORY.md"), late, late))
			},
			want: func(f map[string]string) { f[daily] = cut(f[daily], keep) },
			gone: []string{keep},
		},
		"what was retired was purged": {
			act: func(t *testing.T, p *place) {
				_, err := p.open().Purge(t.Context(), []string{drop}, Traces{})
				must(t, err)
			},
			want: func(f map[string]string) { f[daily] = cut(f[daily], drop) },
			gone: []string{drop, memory.TextID("Drop me.")},
		},
		"what was retired was restored": {
			act: func(t *testing.T, p *place) {
				_, err := p.open().Restore(t.Context(), []string{drop})
				must(t, err)
			},
			want: func(f map[string]string) {
				f["MEMORY.md"] += "\n- Drop me. <!-- id=" + drop + " type=semantic -->\n"
				f[daily] = cut(f[daily], drop)
			},
		},
		"what was retired was restored and forgotten": {
			act: func(t *testing.T, p *place) {
				_, err := p.open().Restore(t.Context(), []string{drop})
				must(t, err)
				_, err = p.open().Forget(t.Context(), drop)
				must(t, err)
			},
			want: func(f map[string]string) { f[daily] = cut(f[daily], drop) },
			gone: []string{drop, memory.TextID("Drop me.")},
		},
		"what was retired was said anew and forgotten": {
			act: func(t *testing.T, p *place) {
				f := memory.Fact{ID: "0199aaaa-0000-7000-8000-00000000f009", Text: "Drop me."}
				_, err := p.open().Remember(t.Context(), f, day, Meta{})
				must(t, err)
				_, err = p.open().Forget(t.Context(), f.ID)
				must(t, err)
			},
			want: func(f map[string]string) { f[daily] = cut(f[daily], drop) },
			gone: []string{drop, memory.TextID("Drop me.")},
		},
	} {
		for _, rotate := range []int64{1, 1 << 20} {
			t.Run(fmt.Sprint(name, "/", rotate), func(t *testing.T) {
				p, _, before, id := keptChange(t)
				p.RotateAt = rotate
				c.act(t, p)
				p.recover()
				plan, err := p.open().PlanUndo(t.Context(), id)
				must(t, err)
				left := slices.ContainsFunc(c.gone, func(id string) bool { return id == keep || id == drop })
				if left != (len(plan.LeftOut) == 1) && name != "what was retired was purged" && name != "what was moved was purged" { // nothing knows of these
					t.Errorf("left out are %v", plan.LeftOut)
				}
				p.undo(id)
				if c.want != nil {
					c.want(before)
					if got := p.files(); !same(trimmed(got), trimmed(before)) {
						t.Errorf("files are %q, want %q", got, before)
					}
				} else {
					p.wantOnce(entry(2))
					if text := p.read(daily); !strings.HasPrefix(text, before[daily]) {
						t.Errorf("%s holds %q", daily, text)
					}
				}
				for _, id := range []string{keep, drop, memory.TextID("Keep me."), memory.TextID("Drop me.")} {
					if p.barred(id) != slices.Contains(c.gone, id) {
						t.Errorf("%s is barred: %v", id, p.barred(id))
					}
				}
				if r := p.recover(); len(r.Changes)+len(r.Finished) > 0 {
					t.Errorf("recovering afterwards reports %+v", r)
				}
			})
		}
	}
}

// TestUndoRefuses: where a file was edited at the same place nothing is changed.
func TestUndoRefuses(t *testing.T) {
	p, _, _, id := keptChange(t)
	plan, err := p.open().PlanUndo(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	p.write("MEMORY.md", strings.Replace(p.read("MEMORY.md"), "Keep me.", "Keep it.", 1))
	want := p.files()
	if _, err := p.open().Undo(t.Context(), plan); err == nil {
		t.Error("a plan was made true of other files than it had seen")
	}
	var overlap *OverlapError
	if _, err := p.open().PlanUndo(t.Context(), id); !errors.As(err, &overlap) || !slices.Equal(overlap.Files, []string{"MEMORY.md"}) || len(overlap.Later) != 0 {
		t.Errorf("%v", err)
	}
	p.wantFiles(want)
}

// TestUndoPlanIsStale: state outside the files counts too.
func TestUndoPlanIsStale(t *testing.T) {
	p, c, _, id := keptChange(t)
	plan, err := p.open().PlanUndo(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	want := p.files()
	if _, err := p.open().Purge(t.Context(), c.Forget, Traces{}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.open().Undo(t.Context(), plan); !errors.Is(err, ErrChanged) {
		t.Error(err)
	}
	p.wantFiles(want)
}

// TestPurgeCleansKept: no kept change holds a purged text.
func TestPurgeCleansKept(t *testing.T) {
	for _, rotate := range []int64{1, 1 << 20} {
		p, c, _, id := keptChange(t)
		p.RotateAt = rotate
		p.undo(id)
		if _, err := p.open().Purge(t.Context(), c.Forget, Traces{}); err != nil {
			t.Fatal(err)
		}
		ids, err := p.open().Archive.KeptIDs()
		if err != nil || len(ids) != 2 {
			t.Fatalf("%v, %v", ids, err)
		}
		for _, id := range ids {
			data, err := os.ReadFile(filepath.Join(p.State, "changes", id))
			if err != nil || strings.Contains(string(data), "Drop") || strings.Contains(string(data), "f002") {
				t.Errorf("%v: %s", err, data)
			}
		}
	}
}

// TestPurgedChangeIsNotOffered: a change is not offered once a purge removed all that it changed.
func TestPurgedChangeIsNotOffered(t *testing.T) {
	p := ticking(newPlace(t))
	const purged, other = "0199aaaa-bbbb-7ccc-8ddd-aaaaaaaaaaaa", "0199aaaa-bbbb-7ccc-8ddd-bbbbbbbbbbbb"
	fact := func(id, text string) string { return fmt.Sprintf("- %s <!-- id=%s type=semantic -->\n", text, id) }
	change := func(title, lines string) (id string) {
		t.Helper()
		err := p.open().Revise(t.Context(), func(files map[string][]byte) (Change, error) {
			return Change{Command: "import", Title: title, Kept: &id, Edits: []memory.FileEdit{
				{File: "MEMORY.md", Before: files["MEMORY.md"], After: append(slices.Clip(files["MEMORY.md"]), lines...)}}}, nil
		})
		if err != nil || id == "" {
			t.Fatal(id, err)
		}
		return id
	}
	change("the first", "# Memory\n\n"+fact(other, "The parser is generated by hand"))
	change("the second", fact(purged, "The vault opens with walnut"))
	if _, err := p.open().Purge(t.Context(), []string{purged}, Traces{}); err != nil {
		t.Fatal(err)
	}
	made, err := p.open().Archive.Made()
	if err != nil || len(made) != 1 || made[0].Title != "the first" {
		t.Errorf("%+v, %v", made, err)
	}
}

// TestUndoWithNothingLeft undoes a change that added one fact, which was pinned since and so stays.
func TestUndoWithNothingLeft(t *testing.T) {
	const added = "0199aaaa-0000-7000-8000-00000000f0d1"
	p, id := ticking(newPlace(t)), ""
	p.write("MEMORY.md", "# Memory\n\nBy hand.\n")
	err := p.open().Revise(t.Context(), func(files map[string][]byte) (Change, error) {
		return Change{Command: "import", Title: "at last", Kept: &id, Edits: []memory.FileEdit{
			{File: "MEMORY.md", Before: files["MEMORY.md"], After: append(slices.Clip(files["MEMORY.md"]), "\n"+markdown.FormatFact(memory.Fact{ID: added, Type: memory.Semantic, Text: "The parser is generated by hand."})...)}}}, nil
	})
	if err != nil || id == "" {
		t.Fatal(id, err)
	}
	if _, err := p.open().Pin(t.Context(), added, true); err != nil {
		t.Fatal(err)
	}
	now := p.files()
	plan, err := p.open().PlanUndo(t.Context(), id)
	if err != nil || len(plan.Edits) > 0 || len(plan.Stays) != 1 {
		t.Fatalf("%+v, %v", plan, err)
	}
	if by, err := p.open().Undo(t.Context(), plan); err != nil || by != "" {
		t.Errorf("an undo that changes nothing is %q: %v", by, err)
	}
	p.wantFiles(now)
	if made, err := p.open().Archive.Made(); err != nil || len(made) != 1 || made[0].Undone {
		t.Errorf("%+v, %v", made, err)
	}
}

// TestKeptIsBounded: of more changes the newest are kept.
func TestKeptIsBounded(t *testing.T) {
	p := ticking(newPlace(t))
	p.record(entry(1))
	var ids []string
	for i := range archive.MaxKept + 3 {
		var id string
		err := p.open().Revise(t.Context(), func(files map[string][]byte) (Change, error) {
			return Change{Command: "import", Title: fmt.Sprint(i), Kept: &id, Edits: []memory.FileEdit{
				{File: "MEMORY.md", Before: files["MEMORY.md"], After: append(slices.Clip(files["MEMORY.md"]), fmt.Sprintf("line %d\n", i)...)}}}, nil
		})
		if err != nil || id == "" {
			t.Fatal(id, err)
		}
		ids = append([]string{id}, ids...)
	}
	made, err := p.open().Archive.Made()
	if err != nil || len(made) != archive.MaxKept {
		t.Fatalf("%d, %v", len(made), err)
	}
	for i, m := range made {
		if m.ID != ids[i] {
			t.Errorf("%d is %s, want %s", i, m.ID, ids[i])
		}
	}
	var overlap *OverlapError
	if _, err := p.open().PlanUndo(t.Context(), ids[1]); err != nil && (!errors.As(err, &overlap) || overlap.Later[0].ID != ids[0]) {
		t.Error(err)
	}
	if _, err := p.open().PlanUndo(t.Context(), ids[archive.MaxKept]); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
}

// TestUndoInterrupted lets the disk die at every step of a change and of its
// undo; the next command leaves memory as before or as after, and what can be
// taken back then is what was made.
func TestUndoInterrupted(t *testing.T) {
	for _, undo := range []bool{false, true} {
		said := map[bool]int{}
		for step := 1; ; step++ {
			p, c, before := moving(t)
			ticking(p)
			var id string
			c.Kept = &id
			from, to := before, after(c, before)
			if undo {
				from, to = to, from
				if err := p.open().Apply(t.Context(), c); err != nil || id == "" {
					t.Fatal(id, err)
				}
			}
			left := step
			s := p.open()
			s.Sys = faults{left: &left, lasting: true, err: syscall.EIO, short: step%2 == 0}
			s.logs.Main.Sys, s.logs.Spare.Sys = s.Sys, s.Sys
			var err error
			if undo {
				var plan UndoPlan
				if plan, err = s.PlanUndo(t.Context(), id); err == nil {
					_, err = s.Undo(t.Context(), plan)
				}
			} else {
				err = s.Apply(t.Context(), c)
			}
			p.recover()
			made, madeErr := p.open().Archive.Made()
			if madeErr != nil {
				t.Fatal(madeErr)
			}
			now := p.files()
			is := same(now, to)
			if !is && !same(now, from) || !is && err == nil {
				t.Errorf("undo %v, step %d (%v): memory is neither as before nor as after: %q", undo, step, err, now)
			}
			said[is]++
			switch {
			case undo && is && (len(made) != 2 || !made[1].Undone), undo && !is && (len(made) != 1 || made[0].Undone), !undo && !is && len(made) != 0:
				t.Errorf("undo %v, step %d, made %v: %+v", undo, step, is, made)
			}
			if undo && is == p.barred(c.Forget[0]) {
				t.Errorf("step %d: barred %v, undone %v", step, !is, is)
			}
			if !undo && is && len(made) == 1 {
				p.undo(made[0].ID)
				p.wantFiles(from)
			}
			if left > 0 {
				if !undo && len(made) != 1 {
					t.Error("without a fault the change is not kept")
				}
				break
			}
		}
		if said[true] < 3 || said[false] < 1 {
			t.Errorf("the faults hit too little: %v", said)
		}
	}
}

// TestKeptOfAChangeThatGaveWay: a change that was taken back, because its file was edited, cannot
// be undone, even if it had been made to the end.
func TestKeptOfAChangeThatGaveWay(t *testing.T) {
	p, c, _ := moving(t)
	var id string
	c.Kept = &id
	s := p.open()
	err := s.edit(t.Context(), "test", func(w *writer) error {
		r, err := w.changer.changeRecord(t.Context(), c)
		if err == nil {
			err = w.Log(t.Context(), true, r)
		}
		body, e := view.ChangeOf(r)
		return errors.Join(err, e, w.changer.keep(r, body))
	})
	if err != nil {
		t.Fatal(err)
	}
	p.write("MEMORY.md", "Mine.\n")
	if r := p.recover(); len(r.Changes) != 1 || r.Changes[0].Made {
		t.Errorf("%+v", r.Changes)
	}
	if made, err := p.open().Archive.Made(); err != nil || len(made) != 0 {
		t.Errorf("%+v, %v", made, err)
	}
}

package writeback

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// moving is a memory with two facts in a daily file, and the change that moves
// one of them to MEMORY.md, folds the file away and forgets the other.
func moving(t *testing.T) (*place, Change, map[string]string) {
	p := newPlace(t)
	keep := memory.Fact{ID: "0199aaaa-0000-7000-8000-00000000f001", Type: memory.Semantic, Text: "Keep me."}
	drop := memory.Fact{ID: "0199aaaa-0000-7000-8000-00000000f002", Type: memory.Semantic, Text: "Drop me."}
	e := entry(1)
	e.Facts = []memory.Fact{keep, drop}
	p.record(e)
	p.write("MEMORY.md", "# Memory\n\nBy hand.\n")
	files, err := p.open().Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	daily := memory.DayFile(e.Time)
	folded, _, _ := markdown.Parse(files[daily]).Remove(keep.ID)
	folded, _, _ = markdown.Parse(folded).Remove(drop.ID)
	c := Change{Command: "consolidate", Title: "one moved", Forget: []string{drop.ID}, Edits: []memory.FileEdit{
		{File: "MEMORY.md", Before: files["MEMORY.md"], After: append([]byte("# Memory\n\nBy hand.\n\n"), markdown.FormatFact(keep)...)},
		{File: "archive/2026-11.md", After: folded},
		{File: daily, Before: files[daily]},
	}}
	before := map[string]string{}
	for name, content := range files {
		before[name] = string(content)
	}
	return p, c, before
}

func (p *place) files() map[string]string {
	p.t.Helper()
	infos, err := list(p.Memory)
	if err != nil {
		p.t.Fatal(err)
	}
	files := map[string]string{}
	for name := range infos {
		files[name] = p.read(name)
	}
	return files
}

func after(c Change, before map[string]string) map[string]string {
	files := map[string]string{}
	for name, text := range before {
		files[name] = text
	}
	for _, e := range c.Edits {
		delete(files, e.File)
		if e.After != nil {
			files[e.File] = string(e.After)
		}
	}
	return files
}

func same(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for name, text := range a {
		if other, ok := b[name]; !ok || other != text {
			return false
		}
	}
	return true
}

func TestApply(t *testing.T) {
	p, c, before := moving(t)
	if err := p.open().Apply(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if !same(p.files(), after(c, before)) {
		t.Errorf("memory holds %q", p.files())
	}
	if r := p.recover(); len(r.Changes)+len(r.Vanished)+len(r.Finished) > 0 {
		t.Errorf("recovering afterwards reports %+v", r)
	}
	if err := p.open().Apply(t.Context(), c); !errors.Is(err, ErrChanged) {
		t.Errorf("the same change again: %v", err)
	}
	barred, err := p.open().Barred(t.Context())
	if err != nil || !barred(c.Forget[0]) {
		t.Errorf("what was forgotten is not barred: %v", err)
	}
	refs, err := p.open().Restore(t.Context(), c.Forget)
	if err != nil || len(refs) != 1 || !strings.Contains(p.read("MEMORY.md"), "- Drop me. <!-- id=") {
		t.Errorf("restored %v, %v: %s", refs, err, p.read("MEMORY.md"))
	}
	if barred, err = p.open().Barred(t.Context()); err != nil || barred(c.Forget[0]) {
		t.Errorf("what was restored is barred: %v", err)
	}
}

func TestApplyRefuses(t *testing.T) {
	p, c, _ := moving(t)
	for _, name := range []string{"../x.md", "/x.md", "x.txt", "", ".hidden.md", "a/../../x.md"} {
		err := p.open().Apply(t.Context(), Change{Command: "test", Edits: []memory.FileEdit{{File: name, After: []byte("x")}}})
		if err == nil {
			t.Errorf("%q was taken for a memory file", name)
		}
	}
	p.write("MEMORY.md", "# Memory\n\nBy another hand.\n")
	want := p.files()
	if err := p.open().Apply(t.Context(), c); !errors.Is(err, ErrChanged) || !same(p.files(), want) {
		t.Errorf("%v, memory holds %q", err, p.files())
	}
	if err := p.open().Apply(t.Context(), Change{Command: "test", Forget: []string{"none"}}); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
}

// TestApplyInterrupted lets the disk fail at every step. The next command, with a disk that works,
// leaves memory as before or as after, and reports which.
func TestApplyInterrupted(t *testing.T) {
	said := map[bool]int{}
	for step := 1; ; step++ {
		p, c, before := moving(t)
		left := step
		s := p.open()
		s.Sys = faults{left: &left, lasting: true, err: syscall.EIO, short: step%2 == 0}
		s.logs.Main.Sys, s.logs.Spare.Sys = s.Sys, s.Sys
		err := s.Apply(t.Context(), c)
		r := p.recover()
		switch now := p.files(); {
		case same(now, after(c, before)):
			said[true]++
			if err != nil && len(r.Changes) != 1 || err == nil && len(r.Changes) > 1 {
				t.Errorf("step %d: the change was made (%v), recovery said %+v", step, err, r)
			}
		case same(now, before):
			said[false]++
			if err == nil || len(r.Changes) != 0 {
				t.Errorf("step %d: the change was not made (%v), recovery said %+v", step, err, r)
			}
		default:
			t.Errorf("step %d: memory is neither as before nor as after: %q", step, now)
		}
		if r := p.recover(); len(r.Changes)+len(r.Vanished) > 0 {
			t.Errorf("step %d: recovering again reports %+v", step, r)
		}
		if left > 0 {
			break // it came to its end without meeting the fault
		}
	}
	if said[true] < 3 || said[false] < 1 {
		t.Errorf("the faults hit too little: %v", said)
	}
}

// TestApplyGivesWay: a change is interrupted, a person edits one of its files,
// and the next command leaves that edit and takes back the rest.
func TestApplyGivesWay(t *testing.T) {
	for _, edited := range []string{"MEMORY.md", "2026-11-21.md"} {
		t.Run(edited, func(t *testing.T) {
			p, c, before := moving(t)
			r, err := interrupted(t, p, c, 2)
			if err != nil {
				t.Fatal(err)
			}
			text := p.read(edited) + "\nMine.\n"
			p.write(edited, text)
			report := p.recover()
			if len(report.Changes) != 1 || report.Changes[0].Made || report.Changes[0].Edited != edited || report.Changes[0].Title != r {
				t.Errorf("recovery said %+v", report.Changes)
			}
			want := after(Change{}, before)
			want[edited] = text
			if !same(p.files(), want) {
				t.Errorf("memory holds %q", p.files())
			}
			if len(report.Vanished) > 0 {
				t.Errorf("vanished: %v", report.Vanished)
			}
		})
	}
}

// TestApplyLosesNothing: after an interrupted change an editor saves an old buffer over the file
// that had gained text. Each entry and fact is then either in a file again or reported as vanished,
// and never both.
func TestApplyLosesNothing(t *testing.T) {
	p, c, before := moving(t)
	if _, err := interrupted(t, p, c, 3); err != nil {
		t.Fatal(err)
	}
	p.write("archive/2026-11.md", "Mine alone.\n")
	p.write("2026-11-21.md", "Mine, too.\n")
	report := p.recover()
	if len(report.Changes) != 1 || report.Changes[0].Made {
		t.Errorf("recovery said %+v", report.Changes)
	}
	gone := map[string]bool{}
	for _, ref := range report.Vanished {
		gone[ref.ID] = true
	}
	for _, id := range markdown.Parse([]byte(before["2026-11-21.md"])).IDs() {
		stands := false
		for _, text := range p.files() {
			stands = stands || strings.Contains(text, id)
		}
		if stands == gone[id] {
			t.Errorf("%s stands in a file: %v, is named as vanished: %v", id, stands, gone[id])
		}
	}
}

// interrupted logs a change and makes the first steps of it only.
func interrupted(t *testing.T, p *place, c Change, steps int) (title string, err error) {
	t.Helper()
	s := p.open()
	err = s.edit(t.Context(), "test", func(w *writer) error {
		r, err := w.changer.changeRecord(t.Context(), c)
		if err != nil {
			return err
		}
		title = r.Title
		if err := w.Log(t.Context(), true, r); err != nil {
			return err
		}
		for _, e := range c.Edits[:steps] {
			if edited, err := w.Folder.Step(e.File, w.View.Files.Get(e.File), e.After); err != nil || edited != "" {
				return errors.Join(err, errors.New("edited: "+edited))
			}
		}
		return nil
	})
	return title, err
}

// TestForgetMerged: any id of a merged fact names it, and none comes back.
func TestForgetMerged(t *testing.T) {
	p := newPlace(t)
	const file = "# Memory\n\n- Deploys on Tuesdays. <!-- id=f-one merged=f-two/run1,f-three -->\n- Other. <!-- id=f-four -->\n"
	p.write("MEMORY.md", file)
	p.recover()
	s := p.open()
	if done, err := s.Pin(t.Context(), "f-two", true); err != nil || done.ID != "f-one" || !done.Changed {
		t.Fatalf("%+v, %v", done, err)
	}
	removed, err := s.Forget(t.Context(), "f-three")
	if err != nil || removed.ID != "f-one" || strings.Contains(p.read("MEMORY.md"), "Tuesdays") {
		t.Fatalf("%+v, %v: %s", removed.Ref, err, p.read("MEMORY.md"))
	}
	for want, ids := range map[bool][]string{true: {"f-one", "f-two", "f-three"}, false: {"f-four"}} {
		barred, err := s.Barred(context.WithoutCancel(t.Context()))
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range ids {
			if barred(id) != want {
				t.Errorf("%s: barred %v", id, !want)
			}
		}
	}
	if _, err := os.Stat(p.path("MEMORY.md")); err != nil {
		t.Error(err)
	}
}

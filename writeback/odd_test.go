package writeback

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"agentflow/internal/safefile"
	"agentflow/memory"
	"agentflow/writeback/internal/folder"
)

// TestNamesThatAreNotUTF8: a file with such a name does not count as vanished, and comes back with
// its folder under the same name.
func TestNamesThatAreNotUTF8(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the file system allows no such names")
	}
	p := newPlace(t)
	p.RotateAt = 1 // a checkpoint holds names too
	names := []string{"caf\xe9.md", "\"quoted.md", "\xff/\xfe.md"}
	for _, name := range names {
		p.write(name, "- one <!-- id=0199aaaa-"+memory.HashID(name)[:8]+" -->\n")
	}
	for range 3 {
		if r := p.recover(); len(r.Vanished)+len(r.Restored) > 0 {
			t.Fatalf("%+v", r)
		}
		p.record(entry(1))
	}
	if err := os.RemoveAll(p.Memory); err != nil {
		t.Fatal(err)
	}
	p.recover()
	for _, name := range names {
		if !strings.Contains(p.read(name), "- one") {
			t.Errorf("%q did not come back", name)
		}
	}
	p.write(names[0], "nothing\n")
	if r := p.recover(); len(r.Vanished) != 1 || r.Vanished[0].File != names[0] {
		t.Errorf("what was taken out is %+v", r.Vanished)
	}
}

// TestTheLogKeepsNoCopyOfWhatIsTooLarge: it is said once, nothing counts as
// vanished, and the log stays small.
func TestTheLogKeepsNoCopyOfWhatIsTooLarge(t *testing.T) {
	p := newPlace(t)
	p.MostTaken = 1 << 10
	p.write("huge.md", strings.Repeat("large\n", 1000))
	said := 0
	for range 3 {
		r, err := p.open().Recover(t.Context())
		if err != nil || len(r.Vanished) > 0 {
			t.Fatalf("%+v, %v", r, err)
		}
		for _, line := range r.Degraded {
			if strings.Contains(line, "huge.md") {
				said++
			}
		}
	}
	if said != 1 {
		t.Errorf("said %d times", said)
	}
	p.record(entry(1))
	if info, err := os.Stat(p.State + "/log"); err != nil || info.Size() > 3000 {
		t.Errorf("the log has %d bytes, %v", info.Size(), err)
	}
	if err := os.Remove(p.path("huge.md")); err != nil {
		t.Fatal(err)
	}
	if r := p.recover(); len(r.Vanished) > 0 {
		t.Errorf("%+v", r)
	}
}

// TestWhatCannotBeChangedHoldsUpNothing: a change of a file that the log does
// not know, or that cannot be written, fails, now and for good; what others
// write meanwhile is written.
func TestWhatCannotBeChangedHoldsUpNothing(t *testing.T) {
	p := newPlace(t)
	p.MostTaken = 1 << 10
	p.record(entry(1))
	p.write("notes/huge.md", strings.Repeat("large\n", 1000))
	create := func(name string) Change {
		return Change{Command: "memory tool", Edits: []memory.FileEdit{{File: "notes/new.md", After: []byte("new\n")}, {File: name, After: []byte("small\n")}}}
	}
	if err := p.open().Apply(t.Context(), create("notes/huge.md")); !errors.Is(err, safefile.ErrTooLarge) {
		t.Errorf("a change of what is too large: %v", err)
	}
	p.Sys = faultsUnder{faults{left: new(int), lasting: true, err: syscall.EROFS}, []string{p.path("notes/closed")}}
	if err := p.open().Apply(t.Context(), create("notes/closed/a.md")); !errors.Is(err, syscall.EROFS) {
		t.Errorf("a change of what cannot be written: %v", err)
	}
	p.record(entry(2))
	if files := p.files(); files["notes/new.md"] != "" || len(files["notes/huge.md"]) != 6000 {
		t.Errorf("half of a change is made: %q", files)
	}
}

// TestAChangeGivesWayToWhatIsNoMemory: an interrupted change is taken back if there is something
// else by then in the place of a memory file, or a file that is too large.
func TestAChangeGivesWayToWhatIsNoMemory(t *testing.T) {
	for name, place := range map[string]func(path string) error{
		"a folder": func(path string) error { return os.Mkdir(path, 0o700) },
		"a link":   func(path string) error { return os.Symlink(os.DevNull, path) },
		"large file": func(path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, folder.MaxFile+1))
		},
	} {
		p, c, before := noting(t)
		if err := p.open().edit(t.Context(), "", func(w *writer) error {
			r, err := w.changer.changeRecord(t.Context(), c)
			return errors.Join(err, w.Log(t.Context(), true, r))
		}); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.Remove(p.path("notes/a.txt.md")), place(p.path("notes/a.txt.md"))); err != nil {
			t.Fatal(err)
		}
		if _, err := p.open().Recover(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		p.record(entry(2))
		if p.read("notes/deep/b.md") != before["notes/deep/b.md"] {
			t.Errorf("%s: half of the change is made", name)
		}
	}
}

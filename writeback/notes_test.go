package writeback

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"agentflow/memory"
	"agentflow/writeback/internal/archive"
	"agentflow/writeback/internal/journal"
	"agentflow/writeback/internal/view"
)

// noting returns a place with three notes, and a change of all of them: one gets more text, one is
// removed and can be restored, and one is new, in a separate folder.
func noting(t *testing.T) (p *place, c Change, before map[string]string) {
	p = newPlace(t)
	p.record(entry(1))
	p.write("notes/a.txt.md", "first\n")
	p.write("notes/deep/b.md", "second\n")
	p.recover()
	c = Change{Command: "memory tool", Title: "three files", Kept: new(string), ForgetFiles: []string{"notes/deep/b.md"}, Edits: []memory.FileEdit{
		{File: "notes/new/c..md", After: []byte("third\n")},
		{File: "notes/a.txt.md", Before: []byte("first\n"), After: []byte("first\nmore\n")},
		{File: "notes/deep/b.md", Before: []byte("second\n")},
	}}
	return p, c, p.files()
}

// TestFilesAreForgottenWhole: a file that a change takes away is restored, as
// often as it goes, and counts as lost in no other way.
func TestFilesAreForgottenWhole(t *testing.T) {
	for _, rotate := range []int64{1, 1 << 20} {
		p, c, _ := noting(t)
		p.RotateAt = rotate
		for range 2 {
			if err := p.open().Apply(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			if r := p.recover(); len(r.Vanished)+len(r.Restored)+len(r.Finished) > 0 {
				t.Errorf("recovering reports %+v", r)
			}
			lost, err := p.open().Lost(t.Context())
			if err != nil || len(lost) != 1 || lost[0].File != "notes/deep/b.md" {
				t.Fatalf("lost are %v, %v", lost, err)
			}
			back, err := p.open().Restore(t.Context(), []string{lost[0].ID})
			if err != nil || len(back) != 1 || p.read("notes/deep/b.md") != "second\n" {
				t.Fatalf("restored %v, %v: %q", back, err, p.read("notes/deep/b.md"))
			}
			if lost, err := p.open().Lost(t.Context()); err != nil || len(lost) > 0 {
				t.Errorf("lost are still %v, %v", lost, err)
			}
			c = Change{Command: "memory tool", ForgetFiles: c.ForgetFiles, Edits: c.Edits[len(c.Edits)-1:]}
		}
		// If the file is deleted by hand after it was made again, it is lost like any other.
		for _, c := range []Change{c, {Command: "memory tool", Edits: []memory.FileEdit{{File: "notes/deep/b.md", After: []byte("anew\n")}}}} {
			if err := p.open().Apply(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Remove(p.path("notes/deep/b.md")); err != nil {
			t.Fatal(err)
		}
		if r := p.recover(); len(r.Vanished) != 1 || r.Vanished[0].File != "notes/deep/b.md" {
			t.Errorf("recovering reports %+v", r)
		}
	}
}

// TestEachTextOfAFileComesBack: a file that was removed twice, with two texts, is lost twice.
// Making it again and removing it hides nothing.
func TestEachTextOfAFileComesBack(t *testing.T) {
	p := ticking(newPlace(t))
	p.RotateAt = 1
	const name = "notes/a.txt.md"
	for _, text := range []string{"mine\n", "junk\n", "junk\n"} {
		for _, c := range []Change{{Edits: []memory.FileEdit{{File: name, After: []byte(text)}}}, {Edits: []memory.FileEdit{{File: name, Before: []byte(text)}}, ForgetFiles: []string{name}}} {
			c.Command = "memory tool"
			if err := p.open().Apply(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
	}
	lost, err := p.open().Lost(t.Context())
	if err != nil || len(lost) != 2 || lost[0].File != name || lost[1].File != name {
		t.Fatalf("lost are %v, %v", lost, err)
	}
	if _, err := p.open().Restore(t.Context(), []string{lost[1].ID}); err != nil || p.read(name) != "mine\n" {
		t.Errorf("restored %s is %q, %v", lost[1].ID, p.read(name), err)
	}
}

// TestOldFilesAreLetGo: of the files that changes took away the last ones can be
// restored, so that the log does not grow for ever.
func TestOldFilesAreLetGo(t *testing.T) {
	p := ticking(newPlace(t))
	text := []byte(strings.Repeat("x", view.MaxLostFiles/4))
	for i := range 6 {
		name := fmt.Sprintf("notes/%d.txt.md", i)
		for _, c := range []Change{{Edits: []memory.FileEdit{{File: name, After: text}}}, {Edits: []memory.FileEdit{{File: name, Before: text}}, ForgetFiles: []string{name}}} {
			c.Command = "memory tool"
			if err := p.open().Apply(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
	}
	lost, err := p.open().Lost(t.Context())
	if err != nil || len(lost) != 4 || lost[0].File != "notes/2.txt.md" || lost[3].File != "notes/5.txt.md" {
		t.Errorf("lost are %v, %v", lost, err)
	}
}

// TestNotesInterrupted lets the disk fail at every step of a change of notes. The next command
// leaves them as before or as after. In the one case the removed text can be restored, in the other
// it is still there.
func TestNotesInterrupted(t *testing.T) {
	said := map[bool]int{}
	for step := 1; ; step++ {
		p, c, before := noting(t)
		left := step
		s := p.open()
		s.Sys = faults{left: &left, lasting: true, err: syscall.EIO, short: step%2 == 0}
		s.logs.Main.Sys, s.logs.Spare.Sys = s.Sys, s.Sys
		err := s.Apply(t.Context(), c)
		p.recover()
		made := same(p.files(), after(c, before))
		lost, lostErr := p.open().Lost(t.Context())
		switch {
		case lostErr != nil, !made && (err == nil || !same(p.files(), before)), made != (len(lost) == 1):
			t.Fatalf("step %d: %v left %q, lost are %v (%v)", step, err, p.files(), lost, lostErr)
		}
		said[made]++
		if r := p.recover(); len(r.Changes)+len(r.Vanished) > 0 {
			t.Errorf("step %d: recovering again reports %+v", step, r)
		}
		if hidden, _ := filepath.Glob(filepath.Join(p.Memory, "notes", "*", ".*")); len(hidden) > 0 {
			t.Errorf("step %d: %v are left", step, hidden)
		}
		if left > 0 {
			break
		}
	}
	if said[true] < 3 || said[false] < 1 {
		t.Errorf("the faults hit too little: %v", said)
	}
}

// TestKilledInTheSwapOfANote: what an editor saved in a subfolder, in the
// moment in which a killed command replaced the file, is there for the next
// command.
func TestKilledInTheSwapOfANote(t *testing.T) {
	p, c, _ := noting(t)
	c.Edits = c.Edits[1:2]
	c.ForgetFiles = nil
	left := 1 << 30
	p.Sys = killedInSwap{killed{faults{left: &left, lasting: true, err: syscall.EIO}}, p.path("notes/a.txt.md"), "first\nby hand\n", new(bool)}
	if err := p.open().Apply(t.Context(), c); err == nil {
		t.Fatal("it was not killed")
	}
	p.Sys = nil
	p.write("notes/deep/.b.md.123.tmp", "half of a file")
	p.recover()
	if got := p.read("notes/a.txt.md"); got != "first\nby hand\n" {
		t.Errorf("the file holds %q", got)
	}
	for _, folder := range []string{"notes", "notes/deep"} {
		if left, _ := filepath.Glob(filepath.Join(p.path(folder), ".*")); len(left) > 0 {
			t.Errorf("%v are left", left)
		}
	}
}

// vanishing is a file system on which another process is the first to rename or remove a
// temporary file.
type vanishing struct{ journal.Disk }

func (v vanishing) Remove(path string) error {
	err := v.Disk.Remove(path)
	if err == nil && strings.HasSuffix(path, ".tmp") {
		err = v.Disk.Remove(path)
	}
	return err
}

// TestTemporaryFileVanishes: a temporary file that is gone by the time of its removal is no
// trouble.
func TestTemporaryFileVanishes(t *testing.T) {
	p, c, _ := noting(t)
	left := 12
	s := p.open()
	s.Sys = killed{faults{left: &left, lasting: true, err: syscall.EIO}}
	if err := s.Apply(t.Context(), c); err == nil {
		t.Fatal("it was not killed")
	}
	p.write("notes/deep/.b.md.123.tmp", "half of a file")
	p.Sys = vanishing{}
	if r := p.recover(); len(r.Degraded) > 0 {
		t.Errorf("trouble: %q", r.Degraded)
	}
	if left, _ := filepath.Glob(filepath.Join(p.path("notes/deep"), ".*")); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

// TestNextWriterTidiesUp: the leftovers of a killed command are removed also by the next command
// that writes. After that command, no trace shows that there was anything to finish.
func TestNextWriterTidiesUp(t *testing.T) {
	found := 0
	for step := 1; ; step++ {
		p, c, _ := noting(t)
		left := step
		s := p.open()
		s.Sys = killed{faults{left: &left, lasting: true, err: syscall.EIO, short: step%2 == 0}}
		s.logs.Main.Sys, s.logs.Spare.Sys = s.Sys, s.Sys
		_ = s.Apply(t.Context(), c)
		hidden := func() []string {
			names, _ := filepath.Glob(filepath.Join(p.Memory, "notes", "*", ".*"))
			top, _ := filepath.Glob(filepath.Join(p.Memory, "notes", ".*"))
			return append(names, top...)
		}
		found += len(hidden())
		if _, _, err := p.open().Record(t.Context(), entry(7)); err != nil {
			t.Fatal(err)
		}
		p.recover()
		if got := hidden(); len(got) > 0 {
			t.Errorf("step %d: %v are left", step, got)
		}
		if left > 0 {
			break
		}
	}
	if found == 0 {
		t.Error("no step left anything behind")
	}
}

// TestNoChangeGoesThroughLinks: a link below the memory folder is no way to a
// file, wherever it leads.
func TestNoChangeGoesThroughLinks(t *testing.T) {
	p := newPlace(t)
	p.write("archive/2026-10.md", "old\n")
	p.recover()
	for name, to := range map[string]string{"notes": "archive", "n.md": "archive/2026-10.md", "src": "../.."} {
		if err := os.Symlink(to, p.path(name)); err != nil {
			t.Skip("no links here: ", err)
		}
	}
	p.write("file", "x")
	for _, name := range []string{"notes/a.md", "n.md", "src/a.md", "file/a.md"} {
		err := p.open().Apply(t.Context(), Change{Command: "memory tool", Edits: []memory.FileEdit{{File: name, After: []byte("x")}}})
		if !errors.Is(err, ErrLink) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat(p.path("archive/a.md")); err == nil {
		t.Error("a file was written behind a link")
	}
}

// TestKeptByCommand: however many changes one command makes, those of another
// stay to be taken back.
func TestKeptByCommand(t *testing.T) {
	p, c, _, id := keptChange(t)
	content := c.Edits[0].After
	for i := range 3 * archive.MaxKept {
		next := append(content[:len(content):len(content)], fmt.Sprintf("%d\n", i)...)
		err := p.open().Apply(t.Context(), Change{Command: "memory tool", Kept: new(string), Edits: []memory.FileEdit{{File: c.Edits[0].File, Before: content, After: next}}})
		if err != nil {
			t.Fatal(err)
		}
		content = next
	}
	made, err := p.open().Archive.Made()
	if err != nil || len(made) != archive.MaxKept+1 || made[archive.MaxKept].ID != id {
		t.Fatalf("%d changes are kept, %v", len(made), err)
	}
}

// noteForever writes notes until it is killed, says each that was
// acknowledged, and keeps a count in one that all of them change.
func noteForever(ctx context.Context, root, from string) error {
	n, err := strconv.Atoi(from)
	if err != nil {
		return err
	}
	for ; ; n++ {
		s, err := open(placeAt(root).Place)
		if err != nil {
			return err
		}
		if _, err := s.Recover(ctx); err != nil {
			return err
		}
		err = s.Revise(ctx, func(files map[string][]byte) (Change, error) {
			const list = "notes/list.md"
			c := Change{Command: "memory tool", Kept: new(string), Edits: []memory.FileEdit{
				{File: fmt.Sprintf("notes/d%d/%d.txt.md", n%5, n), After: fmt.Appendf(nil, "note %d\n", n)},
				{File: list, Before: files[list], After: fmt.Appendf(files[list][:len(files[list]):len(files[list])], "note %d\n", n)},
			}}
			if last := fmt.Sprintf("notes/d%d/%d.txt.md", (n-1)%5, n-1); n%3 == 0 && files[last] != nil {
				c.Edits = append(c.Edits, memory.FileEdit{File: last, Before: files[last]})
				c.ForgetFiles = []string{last}
			}
			return c, nil
		})
		if err != nil {
			return err
		}
		fmt.Println("noted", n)
	}
}

// TestKilledNotes kills writers of notes with SIGKILL at random moments: notes that were reported
// safe are there, once, and removed ones can be restored.
func TestKilledNotes(t *testing.T) {
	p := placeAt(t.TempDir())
	p.t = t
	p.open()
	t.Setenv("WRITEBACK_TEST_NOTES", "1")
	said := heard{"noted": {}}
	for round := range 100 {
		killOne(t, p, 1000*(round+1), said)
		if round%20 != 19 {
			continue
		}
		p.recover()
		lost, err := p.open().Lost(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		gone := map[string]bool{}
		for _, ref := range lost {
			gone[ref.File] = true
		}
		list := p.read("notes/list.md")
		for n := range said["noted"] {
			if strings.Count(list, fmt.Sprintf("note %d\n", n)) != 1 {
				t.Errorf("round %d: note %d is listed %d times", round, n, strings.Count(list, fmt.Sprintf("note %d\n", n)))
			}
			name := fmt.Sprintf("notes/d%d/%d.txt.md", n%5, n)
			_, err := os.Stat(p.path(name))
			if there := err == nil; there == gone[name] || there && p.read(name) != fmt.Sprintf("note %d\n", n) {
				t.Errorf("round %d: %s is there: %v, and can be restored: %v", round, name, there, gone[name])
			}
		}
		if t.Failed() {
			return
		}
	}
	if len(said["noted"]) < 100 {
		t.Errorf("only %d notes were acknowledged", len(said["noted"]))
	}
	t.Logf("%d notes were acknowledged in 100 processes that were killed", len(said["noted"]))
}

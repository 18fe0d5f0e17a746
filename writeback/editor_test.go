package writeback

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/journal"
)

// saving is the real file system with an editor that saves a file by rename
// right after each append to another one, or to the same: what it saves the
// first time, the second, ….
type saving struct {
	journal.Disk
	after, path string
	saves       *[]string
}

func (s saving) OpenFile(path string, flag int, perm fs.FileMode) (journal.File, error) {
	f, err := s.Disk.OpenFile(path, flag, perm)
	if err != nil || path != s.after || len(*s.saves) == 0 {
		return f, err
	}
	return savedOver{f, s}, nil
}

type savedOver struct {
	journal.File
	s saving
}

func (f savedOver) Sync() error {
	if err := f.File.Sync(); err != nil || len(*f.s.saves) == 0 {
		return err
	}
	text := (*f.s.saves)[0]
	*f.s.saves = (*f.s.saves)[1:]
	if err := os.WriteFile(f.s.path+"~", []byte(text), 0o600); err != nil {
		return err
	}
	return os.Rename(f.s.path+"~", f.s.path)
}

// TestEntrySeenAndTakenOutBeforeItIsMarked: of two entries that are appended
// together the editor's first save holds one, and its second save none. The
// one that was there for a moment did not vanish: it is still to be written.
func TestEntrySeenAndTakenOutBeforeItIsMarked(t *testing.T) {
	p := newPlace(t)
	p.record(entry(1))
	for n := 2; n <= 3; n++ {
		r := journal.Record{Op: journal.OpEntry, ID: entry(n).ID, File: "2026-11-21.md", Text: markdown.FormatV2(entry(n))}
		if _, _, err := p.open().logs.Append(t.Context(), true, r); err != nil {
			t.Fatal(err)
		}
	}
	before := p.read("2026-11-21.md")
	mine := strings.Replace(before, "\n\n", "\n\nmy words\n\n", 1)
	p.Sys = saving{journal.Disk{}, p.path("2026-11-21.md"), p.path("2026-11-21.md"), &[]string{mine + string(markdown.FormatV2(entry(2))), mine}}
	if r := p.recover(); len(r.Vanished) > 0 || len(r.Finished) != 2 {
		t.Errorf("report %+v", r)
	}
	p.wantOnce(entry(1), entry(2), entry(3))
	if got := p.read("2026-11-21.md"); !strings.HasPrefix(got, mine) {
		t.Errorf("the file holds\n%s", got)
	}
	p.Sys = nil
	if r := p.recover(); len(r.Vanished) > 0 {
		t.Errorf("vanished %v", r.Vanished)
	}
}

// TestSavedBeforeAnEdit: after all files were looked at and before one is edited, an editor saves a
// buffer from before the newest entry. The edit starts from the saved text, and the entry is not
// lost.
func TestSavedBeforeAnEdit(t *testing.T) {
	for name, edit := range map[string]func(*Store) error{
		"forget": func(s *Store) error { _, err := s.Forget(t.Context(), entry(1).ID); return err },
		"pin":    func(s *Store) error { _, err := s.Pin(t.Context(), entry(1).ID, true); return err },
		"purge":  func(s *Store) error { _, err := s.Purge(t.Context(), []string{entry(1).ID}, Traces{}); return err },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.record(entry(1))
			mine := p.read("2026-11-21.md") + "my words\n"
			p.record(entry(2))
			p.Sys = saving{journal.Disk{}, filepath.Join(p.State, "log"), p.path("2026-11-21.md"), &[]string{mine}}
			if err := edit(p.open()); err != nil {
				t.Fatal(err)
			}
			p.Sys = nil
			p.wantOnce(entry(2))
			got := p.read("2026-11-21.md")
			if has := strings.Contains(got, entry(1).ID); has != (name == "pin") || !strings.Contains(got, "my words\n") {
				t.Errorf("the file holds\n%s", got)
			}
			if r := p.recover(); len(r.Vanished) > 0 || len(r.Finished) > 0 {
				t.Errorf("report %+v", r)
			}
		})
	}
}

// TestSavedOfHalfAnAppend: an editor reads the file in the middle of an append
// and saves a line behind what it has read, before the entry is marked done or
// after. The rest of the entry comes back before that line; what people do to
// an entry by hand stays.
func TestSavedOfHalfAnAppend(t *testing.T) {
	note := memory.Entry{ID: entry(2).ID, Kind: memory.KindNote, Time: entry(2).Time, Facts: []memory.Fact{
		{ID: "0199aaaa-bbbb-7ccc-8ddd-0000000000f1", Text: "The first of two facts."}, {ID: "0199aaaa-bbbb-7ccc-8ddd-0000000000f2", Text: "And the second."}}}
	for name, e := range map[string]memory.Entry{"run": entry(2), "note": note} {
		text := string(markdown.FormatV2(e))
		for cut := 1; cut < len(text); cut += 7 {
			for _, marked := range []bool{true, false} {
				p := newPlace(t)
				p.record(entry(1))
				half := p.read("2026-11-21.md") + text[:cut] + "\nMy words.\n"
				if !marked {
					p.Sys = saving{journal.Disk{}, p.path("2026-11-21.md"), p.path("2026-11-21.md"), &[]string{half}}
				}
				p.record(e)
				p.Sys = nil
				if marked {
					p.record(entry(3))
					p.write("2026-11-21.md", half)
				}
				if r := p.recover(); len(r.Vanished) > 0 {
					t.Errorf("%s cut at %d: vanished %v", name, cut, r.Vanished)
				}
				got := p.read("2026-11-21.md")
				if strings.Count(got, strings.TrimSpace(text)) != 1 || strings.Count(got, "My words.") != 1 || strings.Count(got, "id="+e.ID) > 1 || marked && !strings.Contains(got, entry(3).ID) {
					t.Fatalf("%s cut at %d, marked %v, %q:\n%s", name, cut, marked, text[max(0, cut-20):cut], got)
				}
			}
		}
	}
}

// TestRewrittenBulletStaysAlone: an editor that rewrites the last bullet of an entry, and leaves
// only the id of the text after it, has read it.
func TestRewrittenBulletStaysAlone(t *testing.T) {
	const id = "0199aaaa-bbbb-7ccc-8ddd-0000000000f1"
	p := newPlace(t)
	e := memory.Entry{ID: entry(2).ID, Kind: memory.KindNote, Time: entry(2).Time, Facts: []memory.Fact{{ID: id, Text: "The port is 80.", Importance: 0.5}}}
	p.record(entry(1))
	p.record(e)
	before := p.read("2026-11-21.md")
	at := strings.Index(before, "- The port is 80.")
	line, _, _ := strings.Cut(before[at:], "\n")
	p.write("2026-11-21.md", before[:at]+"- My port is 8080. <!-- id="+id+" -->\n")
	p.recover()
	if got := p.read("2026-11-21.md"); strings.Contains(got, line) || strings.Count(got, "id="+id) != 1 {
		t.Errorf("the file holds\n%s", got)
	}
}

// killedInSwap is a file system on which somebody saves a file just before it is
// replaced for the first time; right after that nothing works any more, as
// for a command that was killed.
type killedInSwap struct {
	killed
	path, text string
	swapped    *bool
}

func (k killedInSwap) Exchange(a, b string) error {
	if *k.swapped {
		return k.err
	}
	*k.swapped = true
	if err := os.WriteFile(k.path, []byte(k.text), 0o600); err != nil {
		return err
	}
	*k.left = 0
	return k.Disk.Exchange(a, b)
}

// TestKilledInTheSwap: what an editor saved in the moment in which a killed
// command replaced the file is there for the next command, and what was
// forgotten stays so.
func TestKilledInTheSwap(t *testing.T) {
	p := newPlace(t)
	p.record(entry(1))
	p.record(entry(2))
	name := entry(1).Time.Format(time.DateOnly) + ".md"
	mine := p.read(name) + "\nBy hand.\n"
	left := 1 << 30
	p.Sys = killedInSwap{killed{faults{left: &left, lasting: true, err: syscall.EIO}}, p.path(name), mine, new(bool)}
	if _, err := p.open().Forget(t.Context(), entry(1).ID); err == nil {
		t.Fatal("it was not killed")
	}
	p.Sys = nil
	p.recover()
	p.wantOnce(entry(2))
	if got := p.read(name); !strings.Contains(got, "\nBy hand.\n") || strings.Contains(got, entry(1).ID) {
		t.Errorf("the file holds %q", got)
	}
	if left, _ := filepath.Glob(filepath.Join(p.Memory, ".*")); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

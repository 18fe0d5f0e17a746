package writeback

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/memory"
)

// saving is the real file system with an editor that saves a file by rename
// right after each append to another one, or to the same: what it saves the
// first time, the second, ….
type saving struct {
	disk
	after, path string
	saves       *[]string
}

func (s saving) OpenFile(path string, flag int, perm fs.FileMode) (file, error) {
	f, err := s.disk.OpenFile(path, flag, perm)
	if err != nil || path != s.after || len(*s.saves) == 0 {
		return f, err
	}
	return savedOver{f, s}, nil
}

type savedOver struct {
	file
	s saving
}

func (f savedOver) Sync() error {
	if err := f.file.Sync(); err != nil || len(*f.s.saves) == 0 {
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
		r := record{Op: opEntry, ID: entry(n).ID, File: "2026-11-21.md", Text: memory.Format(entry(n))}
		if _, _, err := p.open().append(t.Context(), true, r); err != nil {
			t.Fatal(err)
		}
	}
	before := p.read("2026-11-21.md")
	mine := strings.Replace(before, "\n\n", "\n\nmy words\n\n", 1)
	p.sys = saving{disk{}, p.path("2026-11-21.md"), p.path("2026-11-21.md"), &[]string{mine + string(memory.Format(entry(2))), mine}}
	if r := p.recover(); len(r.Vanished) > 0 || len(r.Finished) != 2 {
		t.Errorf("report %+v", r)
	}
	p.wantOnce(entry(1), entry(2), entry(3))
	if got := p.read("2026-11-21.md"); !strings.HasPrefix(got, mine) {
		t.Errorf("the file holds\n%s", got)
	}
	p.sys = nil
	if r := p.recover(); len(r.Vanished) > 0 {
		t.Errorf("vanished %v", r.Vanished)
	}
}

// TestSavedBeforeAnEdit: between the look at all files and the edit of one, an
// editor saves what it had read before the newest entry was there. The edit is
// made of what was saved, and the entry is not lost.
func TestSavedBeforeAnEdit(t *testing.T) {
	for name, edit := range map[string]func(*Store) error{
		"forget": func(s *Store) error { _, err := s.Forget(t.Context(), entry(1).ID); return err },
		"pin":    func(s *Store) error { _, err := s.Pin(t.Context(), entry(1).ID, true); return err },
		"purge":  func(s *Store) error { _, err := s.Purge(t.Context(), entry(1).ID); return err },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.record(entry(1))
			mine := p.read("2026-11-21.md") + "my words\n"
			p.record(entry(2))
			p.sys = saving{disk{}, filepath.Join(p.State, "log"), p.path("2026-11-21.md"), &[]string{mine}}
			if err := edit(p.open()); err != nil {
				t.Fatal(err)
			}
			p.sys = nil
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

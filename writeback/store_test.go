package writeback

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/options"
)

var day = time.Date(2026, 11, 21, 14, 32, 7, 0, time.FixedZone("", 3600))

// place is one test's repository.
type place struct {
	t    testing.TB
	root string
	options.Place
}

func newPlace(t testing.TB) *place {
	p := placeAt(t.TempDir())
	p.t = t
	return p
}

func placeAt(root string) *place {
	return &place{nil, root, options.Place{Options: Options{
		Memory:   filepath.Join(root, "tree", ".agentflow", "memory"),
		State:    filepath.Join(root, "tree", ".git", "agentflow"),
		Fallback: filepath.Join(root, "home", "state"),
		Now:      func() time.Time { return day },
		LockWait: time.Minute,
	}, RotateAt: 20 << 10}}
}

func (p *place) open() *Store {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(p.State), 0o700); err != nil {
		p.t.Fatal(err)
	}
	s, err := open(p.Place)
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

func entry(n int) memory.Entry {
	return memory.Entry{
		ID:   fmt.Sprintf("0199aaaa-bbbb-7ccc-8ddd-%012d", n),
		Kind: memory.KindRun, Time: day.Add(time.Duration(n) * time.Minute),
		Title: fmt.Sprintf("Task number %d", n), Task: fmt.Sprintf("Task number %d\nin two lines", n),
		Result:  &memory.Result{Outcome: memory.OutcomeOK, Success: true, Duration: time.Second},
		Summary: fmt.Sprintf("Summary of run %d.", n),
	}
}

func (p *place) record(e memory.Entry) {
	p.t.Helper()
	if _, degraded, err := p.open().Record(p.t.Context(), e); err != nil || len(degraded) > 0 {
		p.t.Fatalf("recording %s: %v, degraded %q", e.ID, err, degraded)
	}
}

func (p *place) recover() Report {
	p.t.Helper()
	report, err := p.open().Recover(p.t.Context())
	if err != nil || len(report.Degraded) > 0 {
		p.t.Fatalf("recovering: %v, degraded %q", err, report.Degraded)
	}
	return report
}

func (p *place) path(name string) string { return filepath.Join(p.Memory, filepath.FromSlash(name)) }

func (p *place) read(name string) string {
	p.t.Helper()
	data, err := os.ReadFile(p.path(name))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(data)
}

func (p *place) write(name, text string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(p.path(name)), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(p.path(name), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// wantOnce checks that Markdown holds each entry exactly once and whole.
func (p *place) wantOnce(entries ...memory.Entry) {
	p.t.Helper()
	var all []byte
	files, err := list(p.Memory)
	if err != nil {
		p.t.Fatal(err)
	}
	for name := range files {
		all = append(append(all, p.read(name)...), '\n')
	}
	for _, e := range entries {
		if n := bytes.Count(all, markdown.FormatV2(e)); n != 1 {
			p.t.Errorf("entry %s stands %d times whole in\n%s", e.ID, n, all)
		}
		id := "id="
		if markdown.IsNote(markdown.FormatV2(e)) {
			id = "note="
		}
		if n := bytes.Count(all, []byte(id+e.ID)); n != 1 {
			p.t.Errorf("the id %s stands %d times", e.ID, n)
		}
	}
}

func TestRecordAppends(t *testing.T) {
	p := newPlace(t)
	path, degraded, err := p.open().Record(t.Context(), entry(1))
	if err != nil || len(degraded) > 0 || path != p.path("2026-11-21.md") {
		t.Fatalf("path %s, degraded %q, error %v", path, degraded, err)
	}
	p.record(entry(2))
	want := "# 2026-11-21\n\n" + string(markdown.FormatV2(entry(1))) + string(markdown.FormatV2(entry(2)))
	if got := p.read("2026-11-21.md"); got != want {
		t.Errorf("the file holds\n%s\nwant\n%s", got, want)
	}
	p.record(entry(1))
	p.wantOnce(entry(1), entry(2))
	for path, mode := range map[string]os.FileMode{
		p.Memory: 0o700, filepath.Dir(p.Memory): 0o700, p.State: 0o700,
		p.path("2026-11-21.md"): 0o600, filepath.Join(p.State, "log"): 0o600,
	} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: mode %v, error %v; want %v", path, info.Mode().Perm(), err, mode)
		}
	}
	if got, _ := os.ReadFile(filepath.Join(p.Memory, "..", ".gitignore")); string(got) != "*\n" {
		t.Errorf(".gitignore holds %q", got)
	}
}

func TestRecoverRestoresVanishedFolder(t *testing.T) {
	p := newPlace(t)
	p.write("MEMORY.md", "# Memory\n\n- by hand\n")
	p.write("archive/2026-08.md", "# August\n")
	p.recover()
	p.record(entry(1))
	before := p.read("2026-11-21.md")
	if err := os.RemoveAll(filepath.Dir(p.Memory)); err != nil {
		t.Fatal(err)
	}
	report := p.recover()
	if got := strings.Join(report.Restored, " "); got != "2026-11-21.md MEMORY.md archive/2026-08.md" {
		t.Errorf("restored %q", got)
	}
	if p.read("2026-11-21.md") != before || p.read("MEMORY.md") != "# Memory\n\n- by hand\n" {
		t.Error("restored files differ")
	}
	if again := p.recover(); len(again.Restored)+len(again.Vanished)+len(again.Finished) > 0 {
		t.Errorf("a second Recover did %+v", again)
	}
}

// TestRecordAfterVanishedFolder is git clean by the agent during its run.
func TestRecordAfterVanishedFolder(t *testing.T) {
	p := newPlace(t)
	p.write("MEMORY.md", "# Memory\n")
	p.recover()
	p.record(entry(1))
	if err := os.RemoveAll(filepath.Dir(p.Memory)); err != nil {
		t.Fatal(err)
	}
	_, degraded, err := p.open().Record(t.Context(), entry(2))
	if err != nil || len(degraded) != 1 || !strings.Contains(degraded[0], "2 of its files are restored") {
		t.Fatalf("degraded %q, error %v", degraded, err)
	}
	p.wantOnce(entry(1), entry(2))
	if p.read("MEMORY.md") != "# Memory\n" {
		t.Error("MEMORY.md is not back")
	}
	if r := p.recover(); len(r.Vanished) > 0 {
		t.Errorf("vanished %v", r.Vanished)
	}
}

func TestForgetAndRestore(t *testing.T) {
	p := newPlace(t)
	p.record(entry(1))
	p.record(entry(2))
	removed, err := p.open().Forget(t.Context(), entry(1).ID)
	if err != nil || removed.File != "2026-11-21.md" || removed.Title != "Task number 1" || !bytes.Contains(removed.Text, []byte("Summary of run 1.")) {
		t.Fatalf("removed %+v, error %v", removed, err)
	}
	if strings.Contains(p.read("2026-11-21.md"), entry(1).ID) {
		t.Error("it is still there")
	}
	p.wantOnce(entry(2))
	if _, degraded, err := p.open().Record(t.Context(), entry(1)); err != nil || len(degraded) != 1 {
		t.Errorf("recording a forgotten entry: degraded %q, error %v", degraded, err)
	}
	if strings.Contains(p.read("2026-11-21.md"), entry(1).ID) {
		t.Error("a forgotten entry was written again")
	}
	if r := p.recover(); len(r.Vanished) > 0 {
		t.Errorf("a forgotten entry counts as vanished: %v", r.Vanished)
	}
	if _, err := p.open().Forget(t.Context(), entry(1).ID); !errors.Is(err, ErrNotFound) {
		t.Errorf("forgetting twice: %v", err)
	}
	if _, err := p.open().Restore(t.Context(), []string{entry(1).ID}); err != nil {
		t.Fatal(err)
	}
	p.wantOnce(entry(1), entry(2))
}

func TestVanishedByHand(t *testing.T) {
	p := newPlace(t)
	p.record(entry(1))
	p.record(entry(2))
	p.age("2026-11-21.md")
	p.write("2026-11-21.md", "# 2026-11-21\n\nmy words\n\n"+string(markdown.FormatV2(entry(2))))
	p.later("2026-11-21.md", time.Hour)
	for range 2 {
		if r := p.recover(); len(r.Vanished) != 1 || r.Vanished[0] != (Ref{ID: entry(1).ID, Title: "Task number 1", File: "2026-11-21.md"}) {
			t.Fatalf("vanished %v", r.Vanished)
		}
	}
	if !strings.Contains(p.read("2026-11-21.md"), "my words") {
		t.Error("the hand edit is gone")
	}
	refs, err := p.open().Restore(t.Context(), []string{entry(1).ID})
	if err != nil || len(refs) != 1 {
		t.Fatalf("restored %v, error %v", refs, err)
	}
	p.wantOnce(entry(1), entry(2))
	if r := p.recover(); len(r.Vanished) > 0 {
		t.Errorf("still vanished %v", r.Vanished)
	}
}

func TestFileDeletedByHand(t *testing.T) {
	p := newPlace(t)
	p.write("MEMORY.md", "# Memory\n")
	p.record(entry(1))
	p.recover()
	if err := os.Remove(p.path("2026-11-21.md")); err != nil {
		t.Fatal(err)
	}
	if r := p.recover(); len(r.Vanished) != 1 || len(r.Restored) != 0 {
		t.Fatalf("report %+v", r)
	}
	if _, err := p.open().Forget(t.Context(), entry(1).ID); err != nil {
		t.Fatal(err)
	}
	if r := p.recover(); len(r.Vanished) != 0 {
		t.Errorf("vanished after forget: %v", r.Vanished)
	}
}

// age and later move a file's mtime, as if time had passed.
func (p *place) age(name string) { p.later(name, -time.Hour) }

func (p *place) later(name string, d time.Duration) {
	p.t.Helper()
	info, err := os.Stat(p.path(name))
	if err == nil {
		err = os.Chtimes(p.path(name), time.Time{}, info.ModTime().Add(d))
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// TestForgottenAndSavedOver: a forgotten fact, and one that had been merged into it, does not come
// back with a buffer that an editor had read before. With a later edit it does.
func TestForgottenAndSavedOver(t *testing.T) {
	const old, one, two = "- 1. <!-- id=0199-old -->\n", "- One. <!-- id=0199-one merged=0199-old -->\n", "- Two. <!-- id=0199-two -->\n"
	const stale = "# Memory\n\n" + old + one + two + "\nMine.\n"
	for name, forget := range map[string]func(p *place) error{
		"forget": func(p *place) error { _, err := p.open().Forget(t.Context(), "0199-one"); return err },
		"change": func(p *place) error {
			return p.open().Revise(t.Context(), func(files map[string][]byte) (Change, error) {
				rest, _, _ := markdown.Parse(files["MEMORY.md"]).Remove("0199-one")
				return Change{Command: "forget", Forget: []string{"0199-one"}, Edits: []memory.FileEdit{{File: "MEMORY.md", Before: files["MEMORY.md"], After: rest}}}, nil
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.write("MEMORY.md", "# Memory\n\n"+one+two)
			if err := forget(p); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				p.write("MEMORY.md", stale)
				p.recover()
				if got := p.read("MEMORY.md"); got != "# Memory\n\n"+two+"\nMine.\n" {
					t.Errorf("after a stale save: %q", got)
				}
			}
			p.write("MEMORY.md", "# Memory\n\n"+one)
			p.later("MEMORY.md", time.Minute)
			p.recover()
			if got := p.read("MEMORY.md"); got != "# Memory\n\n"+one {
				t.Errorf("after an edit by hand: %q", got)
			}
		})
	}
}

// TestFactVanishedByHand: a fact taken out of MEMORY.md by hand, or by an
// editor that saved what it had read before, is named and can come back.
func TestFactVanishedByHand(t *testing.T) {
	p := newPlace(t)
	const one, two = "- One. <!-- id=0199-one merged=0199-old -->\n", "- Two. <!-- id=0199-two -->\n"
	p.write("MEMORY.md", "# Memory\n\n"+one+two)
	p.write("other.md", "# Other\n")
	p.recover()
	p.write("MEMORY.md", "# Memory\n\n"+two)
	if r := p.recover(); len(r.Vanished) != 1 || r.Vanished[0] != (Ref{ID: "0199-one", Title: "One.", File: "MEMORY.md"}) {
		t.Fatalf("vanished %v", r.Vanished)
	}
	p.write("other.md", "# Other\n\n"+one)
	if r := p.recover(); len(r.Vanished) != 0 {
		t.Errorf("moved by hand, and yet vanished: %v", r.Vanished)
	}
	p.write("other.md", "# Other\n")
	p.recover()
	if refs, err := p.open().Restore(t.Context(), []string{"0199-one"}); err != nil || len(refs) != 1 {
		t.Fatalf("%v, %v", refs, err)
	}
	if got := p.read("MEMORY.md"); !strings.Contains(got, one) || !strings.Contains(got, two) {
		t.Errorf("restored: %s", got)
	}
	p.write("MEMORY.md", "# Memory\n\n"+one)
	p.recover()
	if _, err := p.open().Forget(t.Context(), "0199-two"); err != nil {
		t.Error(err)
	}
	if r := p.recover(); len(r.Vanished) != 0 {
		t.Errorf("forgotten, and yet vanished: %v", r.Vanished)
	}
}

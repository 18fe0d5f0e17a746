package writeback

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/internal/filelock"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/journal"
	"agentflow/writeback/internal/seen"
)

func TestRecoverInFreshRepositoryMakesNothing(t *testing.T) {
	p := newPlace(t)
	p.recover()
	for _, path := range []string{p.State, p.Memory, p.Fallback} {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s was made", path)
		}
	}
}

// TestTornEntryIsCompleted cuts the file at every byte of the last entry, as
// a crash in the middle of an append does.
func TestTornEntryIsCompleted(t *testing.T) {
	whole := len("# 2026-11-21\n\n") + len(markdown.FormatV2(entry(1)))
	for cut := 0; cut <= whole; cut += 7 {
		p := newPlace(t)
		s := p.open()
		r := journal.Record{Op: journal.OpEntry, ID: entry(1).ID, File: "2026-11-21.md", Text: markdown.FormatV2(entry(1))}
		if _, _, err := s.logs.Append(t.Context(), true, r); err != nil {
			t.Fatal(err)
		}
		full := "# 2026-11-21\n\n" + string(markdown.FormatV2(entry(1)))
		p.write("2026-11-21.md", full[:cut])
		if r := p.recover(); len(r.Finished) != 1 {
			t.Fatalf("cut at %d: %+v", cut, r)
		}
		if got := p.read("2026-11-21.md"); got != full {
			t.Fatalf("cut at %d: the file holds %q", cut, got)
		}
	}
}

// TestTornAndEdited: somebody wrote above a torn entry before the next
// command came.
func TestTornAndEdited(t *testing.T) {
	p := newPlace(t)
	p.record(entry(1))
	r := journal.Record{Op: journal.OpEntry, ID: entry(2).ID, File: "2026-11-21.md", Text: markdown.FormatV2(entry(2))}
	if _, _, err := p.open().logs.Append(t.Context(), true, r); err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(p.read("2026-11-21.md"), "\n\n", "\n\nmy words\n\n", 1)
	p.write("2026-11-21.md", text+string(markdown.FormatV2(entry(2))[:200]))
	p.recover()
	p.wantOnce(entry(1), entry(2))
	if got := p.read("2026-11-21.md"); got != text+string(markdown.FormatV2(entry(2))) {
		t.Errorf("the file holds %s", got)
	}
}

func TestTornLogLine(t *testing.T) {
	p := newPlace(t)
	p.record(entry(1))
	log := filepath.Join(p.State, "log")
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	torn := journal.Record{Op: journal.OpEntry, ID: entry(9).ID, File: "2026-11-21.md", Text: markdown.FormatV2(entry(9))}.Encode(data)
	if err := os.WriteFile(log, torn[:len(torn)-20], 0o600); err != nil {
		t.Fatal(err)
	}
	p.recover()
	p.record(entry(2))
	p.wantOnce(entry(1), entry(2))
	if now, _ := os.ReadFile(log); !bytes.HasPrefix(now, data) || bytes.Contains(now, []byte(entry(9).ID)) {
		t.Error("the torn line was not cut off")
	}
}

func TestDamagedLogLineIsNamed(t *testing.T) {
	p := newPlace(t)
	p.record(entry(1))
	p.record(entry(2))
	log := filepath.Join(p.State, "log")
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	data[bytes.Index(data, []byte("Summary of run 1"))] = 'X'
	err = errors.Join(os.WriteFile(log, data, 0o600), os.Remove(filepath.Join(p.State, "seen")))
	if err != nil {
		t.Fatal(err)
	}
	report, err := p.open().Recover(t.Context())
	if err != nil || len(report.Degraded) != 1 || !strings.Contains(report.Degraded[0], "checksum") {
		t.Fatalf("report %+v, error %v", report, err)
	}
	p.wantOnce(entry(1), entry(2))
	if len(report.Vanished) > 0 {
		t.Errorf("vanished %v", report.Vanished)
	}
}

func TestSeenIsDerived(t *testing.T) {
	const magic = "agentflow seen 3"
	for _, damage := range []string{"", "garbage", magic, magic + "\n00000001 7\nfile x\n", magic + "\n00000000 0\n00000000 99\n", magic + "\n00000000 -1\n"} {
		p := newPlace(t)
		p.record(entry(1))
		if err := os.WriteFile(filepath.Join(p.State, "seen"), []byte(damage), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, ok := p.open().nothingToDo(); ok {
			t.Fatalf("%q is believed", damage)
		}
		if r := p.recover(); len(r.Finished)+len(r.Restored)+len(r.Vanished) > 0 {
			t.Errorf("%q: %+v", damage, r)
		}
		if _, ok := p.open().nothingToDo(); !ok {
			t.Error("not derived anew")
		}
		p.wantOnce(entry(1))
	}
}

func TestRotationKeepsWhatRestoreNeeds(t *testing.T) {
	p := newPlace(t)
	p.RotateAt = 1
	p.write("MEMORY.md", "# Memory\n\\ and \x00 \xff\r\n")
	p.recover()
	for n := 1; n <= 3; n++ {
		p.record(entry(n))
	}
	if _, err := p.open().Forget(t.Context(), entry(2).ID); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(p.Memory); err != nil {
		t.Fatal(err)
	}
	p.recover()
	p.wantOnce(entry(1), entry(3))
	if got := p.read("MEMORY.md"); got != "# Memory\n\\ and \x00 \xff\r\n" {
		t.Errorf("MEMORY.md holds %q", got)
	}
	if _, err := p.open().Restore(t.Context(), []string{entry(2).ID}); err != nil {
		t.Fatal(err)
	}
	p.wantOnce(entry(1), entry(2), entry(3))
}

// TestCrashBetweenCheckpointAndLog: with an old log next to a checkpoint that covers it, nothing
// counts twice.
func TestCrashBetweenCheckpointAndLog(t *testing.T) {
	p := newPlace(t)
	p.record(entry(1))
	before := p.read("2026-11-21.md")
	log := filepath.Join(p.State, "log")
	old, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	p.RotateAt = 1
	p.write("MEMORY.md", "# Memory\n")
	p.recover()
	if err := errors.Join(os.WriteFile(log, old, 0o600), os.Remove(filepath.Join(p.State, "seen")), os.RemoveAll(p.Memory)); err != nil {
		t.Fatal(err)
	}
	p.recover()
	if got := p.read("2026-11-21.md"); got != before {
		t.Errorf("the file holds\n%s", got)
	}
}

func TestSymlinksOutAreRefused(t *testing.T) {
	for _, link := range []string{"memory", "file", "root"} {
		p := newPlace(t)
		s := p.open()
		outside := t.TempDir()
		target, at := outside, p.Memory
		switch link {
		case "file":
			at, target = p.path("2026-11-21.md"), filepath.Join(outside, "x.md")
		case "root":
			at = filepath.Dir(p.Memory)
		}
		err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), os.Symlink(target, at))
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Record(t.Context(), entry(1)); err == nil {
			t.Errorf("%s: recorded through a symlink that leads outside", link)
		}
		if names, _ := os.ReadDir(outside); len(names) > 0 {
			t.Errorf("%s: %v was written outside", link, names)
		}
	}
}

func TestLocked(t *testing.T) {
	p := newPlace(t)
	p.record(entry(1))
	lock, err := filelock.Acquire(t.Context(), filepath.Join(p.State, "lock"), filelock.Self("index", day), 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.open().Forget(t.Context(), entry(1).ID)
	var held *filelock.HeldError
	if !errors.Is(err, ErrLocked) || !errors.As(err, &held) || held.Holder.Command != "index" {
		t.Errorf("error %v", err)
	}
	p.LockWait = 1
	_, _, err = p.open().Record(t.Context(), entry(2))
	var pending *PendingError
	if !errors.As(err, &pending) {
		t.Errorf("error %v", err)
	}
	if report, err := p.open().Recover(t.Context()); err != nil || len(report.Degraded) != 1 {
		t.Errorf("report %+v, error %v", report, err)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	p.recover()
	p.wantOnce(entry(1), entry(2))
}

func TestInitTwice(t *testing.T) {
	p := newPlace(t)
	if err := p.open().Folder.Init(); err != nil {
		t.Fatal(err)
	}
	p.write("MEMORY.md", "mine\n")
	if err := p.open().Folder.Init(); err != nil {
		t.Fatal(err)
	}
	if p.read("MEMORY.md") != "mine\n" {
		t.Error("MEMORY.md was overwritten")
	}
}

func TestRemember(t *testing.T) {
	p := newPlace(t)
	f := memory.Fact{Type: memory.Procedural, Importance: 0.8, Tags: []string{"testing"}, Text: "Use synctest for clocks in tests."}
	done, err := p.open().Remember(t.Context(), f, day, Meta{Branch: "main"})
	e, path := done.Entry, done.File
	if err != nil || path != p.path("2026-11-21.md") || len(e.Facts) != 1 || e.Facts[0].ID == "" {
		t.Fatalf("entry %+v, path %s, error %v", e, path, err)
	}
	p.wantOnce(e)
	if n := strings.Count(p.read("2026-11-21.md"), f.Text); n != 1 {
		t.Errorf("the text stands %d times", n)
	}
	removed, err := p.open().Forget(t.Context(), e.Facts[0].ID)
	if err != nil || removed.Title != f.Text {
		t.Fatalf("removed %+v, error %v", removed, err)
	}
	if strings.Contains(p.read("2026-11-21.md"), f.Text) {
		t.Error("the fact is still there")
	}
	if r := p.recover(); len(r.Vanished) > 0 {
		t.Errorf("vanished %v", r.Vanished)
	}
	if _, err := p.open().Restore(t.Context(), []string{e.Facts[0].ID}); err != nil {
		t.Fatal(err)
	}
	p.wantOnce(e)
}

// TestStaleSave: an editor that had read the file before an append, and saves
// right after it, does not take the entry away.
func TestStaleSave(t *testing.T) {
	for _, rotate := range []int64{1, 1 << 20} {
		p := newPlace(t)
		p.RotateAt = rotate
		p.record(entry(1))
		stale := p.read("2026-11-21.md") + "my words\n"
		p.record(entry(2))
		if err := os.WriteFile(p.path(".saving"), []byte(stale), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(p.path(".saving"), p.path("2026-11-21.md")); err != nil {
			t.Fatal(err)
		}
		if r := p.recover(); len(r.Vanished) > 0 {
			t.Errorf("vanished %v", r.Vanished)
		}
		p.wantOnce(entry(1), entry(2))
		if !strings.Contains(p.read("2026-11-21.md"), "my words\n") {
			t.Error("the editor's words are gone")
		}
	}
}

// TestFolderMadeAnew: a memory folder that was removed and made again is not
// the one that was seen, though the system gives it the same inode: what stood
// in it vanished with it and was not deleted by hand.
func TestFolderMadeAnew(t *testing.T) {
	p := newPlace(t)
	p.record(entry(1))
	inode := func(path string) uint64 {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return seen.InodeOf(info)
	}
	was, anew := inode(p.Memory), ""
	if err := os.RemoveAll(p.Memory); err != nil {
		t.Fatal(err)
	}
	for n := 0; n < 500 && (n == 0 || inode(anew) != was); n++ {
		anew = filepath.Join(p.root, fmt.Sprint("new", n))
		if err := os.Mkdir(anew, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(anew, p.Memory); err != nil {
		t.Fatal(err)
	}
	p.write("MEMORY.md", "# Memory\n")
	if r := p.recover(); len(r.Vanished) > 0 || len(r.Restored) != 1 {
		t.Errorf("report %+v", r)
	}
	p.wantOnce(entry(1))
}

// TestWholeFileComesBack: a file without entries that was deleted by hand has not vanished if all
// of its text is there again, under its name or another.
func TestWholeFileComesBack(t *testing.T) {
	const text = "# Notes\n\nOnly words.\n"
	for _, back := range []string{"notes.md", "other.md"} {
		p := newPlace(t)
		p.record(entry(1))
		p.write("notes.md", text)
		p.recover()
		if err := os.Remove(p.path("notes.md")); err != nil {
			t.Fatal(err)
		}
		if r := p.recover(); len(r.Vanished) != 1 {
			t.Fatalf("vanished %v", r.Vanished)
		}
		p.write(back, text+"More.\n")
		if r := p.recover(); len(r.Vanished) > 0 {
			t.Errorf("%s holds it again, and vanished are %v", back, r.Vanished)
		}
	}
	p := newPlace(t)
	p.record(entry(1))
	p.write("notes.md", text)
	p.recover()
	if err := os.Rename(p.path("notes.md"), p.path("other.md")); err != nil {
		t.Fatal(err)
	}
	if r := p.recover(); len(r.Vanished) > 0 {
		t.Errorf("renamed, and vanished are %v", r.Vanished)
	}
}

// TestEmptiedGitignore: what keeps memory out of git is made good where nothing
// is left of it; what a person wrote there stays.
func TestEmptiedGitignore(t *testing.T) {
	for was, want := range map[string]string{"": "*\n", "# shared\n": "# shared\n"} {
		p := newPlace(t)
		p.record(entry(1))
		path := filepath.Join(filepath.Dir(p.Memory), ".gitignore")
		if err := os.WriteFile(path, []byte(was), 0o600); err != nil {
			t.Fatal(err)
		}
		p.record(entry(2))
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%q became %q, error %v", was, got, err)
		}
	}
}

package gitwatch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// lines renders edits as "path <- old: before → after, held", with the kept
// contents, or in brackets the mode and id of what is not kept.
func (f *fixture) lines(edits []Edit) string {
	f.t.Helper()
	archive, err := openEdits(f.run)
	must(f.t, err)
	defer archive.close()
	side := func(e EditFile) string {
		if !e.Exists() {
			return "none"
		}
		b, err := archive.contents(e)
		if errors.Is(err, errNotKept) {
			return fmt.Sprintf("(%o %.7s)", e.Mode, e.Hash)
		}
		must(f.t, err)
		return fmt.Sprintf("%o %q", e.Mode, b)
	}
	var out []string
	for _, e := range edits {
		name := e.Path
		if e.OldPath != "" {
			name += " <- " + e.OldPath
		}
		line := fmt.Sprintf("%s: %s → %s", name, side(e.Before), side(e.After))
		if e.Held != nil {
			line += ", held " + side(*e.Held)
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// keep lets what the run changed be kept, but for secrets.
func keep(ev *Evidence) {
	ev.Keep = func(content []byte) bool { return !strings.Contains(string(content), "password") }
}

func TestEditsAreKept(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "mod.txt", "one\n", "old.txt", "a\nb\nc\n", "gone.txt", "gone\n", "swept.txt", "clean\n", "both.txt", "0\n")
	f.write("mine.txt", "the user's\n")
	f.write("swept.txt", "dirty\n")
	f.write("untouched.txt", "secret\n")
	f.during(func() {
		f.write("both.txt", "1\n")
		f.git("add", "both.txt", "swept.txt")
		f.git("commit", "-qm", "both")
		f.write("both.txt", "2\n")
		f.write("mod.txt", "two\n")
		must(t, os.Rename(f.path("old.txt"), f.path("new.txt")))
		must(t, os.Remove(f.path("gone.txt")))
		f.write("mine.txt", "the run's\n")
		must(t, os.Symlink("mod.txt", f.path("link")))
		f.write("bad\xff\n.txt", "x")
	}, keep, func(ev *Evidence) { ev.Touched = []string{"mine.txt"} })

	id := func(rev string) string { return "(100644 " + f.git("rev-parse", rev)[:7] + ")" }
	edits, err := LoadEdits(f.run)
	must(t, err)
	want(t, "edits", f.lines(edits), strings.Join([]string{
		"bad\xff\n.txt: none → 100644 \"x\"",
		"both.txt: " + id("HEAD:both.txt") + ` → 100644 "2\n"`,
		"gone.txt: " + id("HEAD:gone.txt") + " → none",
		`link: none → 120000 "mod.txt"`,
		`mine.txt: 100644 "the user's\n" → 100644 "the run's\n"`,
		"mod.txt: " + id("HEAD:mod.txt") + ` → 100644 "two\n"`,
		`new.txt <- old.txt: 100644 "a\nb\nc\n" → 100644 "a\nb\nc\n"`,
	}, "\n"))
	committed, err := LoadCommitted(f.run)
	must(t, err)
	want(t, "committed", f.lines(committed), strings.Join([]string{
		"both.txt: " + id("HEAD~:both.txt") + " → " + id("HEAD:both.txt"),
		"swept.txt: " + id("HEAD~:swept.txt") + ` → 100644 "dirty\n", held 100644 "dirty\n"`,
	}, "\n"))

	info, err := os.Stat(filepath.Join(f.run, editsFile))
	must(t, err)
	if info.Mode().Perm()&0o077 != 0 {
		t.Errorf("mode %v: others may read it", info.Mode())
	}
	raw, err := os.ReadFile(filepath.Join(f.run, editsFile))
	must(t, err)
	if strings.Contains(string(raw), "secret") {
		t.Error("a file that the run left alone is kept")
	}
}

func TestEditsThatAreNotKept(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "a.txt", "a\n")
	f.write("own.env", "password=battery-staple\n")
	f.during(func() {
		f.write("large.bin", strings.Repeat("x", maxKept+1))
		f.write("new.env", "password=correct-horse\n")
		f.write("own.env", "nothing\n")
	}, keep, func(ev *Evidence) { ev.Touched = []string{"own.env"} })
	edits, err := LoadEdits(f.run)
	must(t, err)
	if len(edits) != 3 {
		t.Fatalf("have %+v", edits)
	}
	for _, e := range edits[:2] {
		if e.After.Hash == "" || e.After.Kept != "" {
			t.Errorf("have %+v", e)
		}
	}
	if own := edits[2]; own.Before.Hash == "" || own.Before.Kept != "" || own.After.Kept == "" {
		t.Errorf("have %+v", own)
	}
	raw, err := os.ReadFile(filepath.Join(f.run, editsFile))
	must(t, err)
	if strings.Contains(string(raw), "password") {
		t.Error("a secret is kept")
	}

	// What purge masks is not given out as it never was.
	f.during(func() { f.write("a.txt", "codeword\n") }, keep)
	name := filepath.Join(f.run, editsFile)
	raw, err = os.ReadFile(name)
	must(t, err)
	must(t, os.WriteFile(name, []byte(strings.ReplaceAll(string(raw), "codeword", "********")), 0o600))
	edits, err = LoadEdits(f.run)
	must(t, err)
	archive, err := openEdits(f.run)
	must(t, err)
	if _, err := archive.contents(edits[0].After); edits[0].Path != "a.txt" || err == nil {
		t.Errorf("%s: masked contents are taken for the file's", edits[0].Path)
	}
	must(t, archive.close())

	must(t, os.Remove(name))
	f.during(func() { f.write("b.txt", "b\n") })
	if _, err := LoadEdits(f.run); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("have %v, want none kept", err)
	}
}

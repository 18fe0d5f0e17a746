package gitwatch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/gitwatch/edits"
	"agentflow/internal/testing/gittest"
)

// lines renders edits as "path <- old: before → after, held", with the kept contents or, in
// brackets, the mode and id of contents that are not kept.
func (f *fixture) lines(changes []edits.Change) string {
	f.T.Helper()
	archive, err := edits.OpenArchive(f.Run)
	gittest.Must(f.T, err)
	defer archive.Close()
	side := func(e edits.File) string {
		if !e.Exists() {
			return "none"
		}
		b, err := archive.Contents(e)
		if errors.Is(err, edits.ErrNotKept) {
			return fmt.Sprintf("(%o %.7s)", e.Mode, e.Hash)
		}
		gittest.Must(f.T, err)
		return fmt.Sprintf("%o %q", e.Mode, b)
	}
	var out []string
	for _, e := range changes {
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
	f.Commit("base", "mod.txt", "one\n", "old.txt", "a\nb\nc\n", "gone.txt", "gone\n", "swept.txt", "clean\n", "both.txt", "0\n")
	f.Write("mine.txt", "the user's\n")
	f.Write("swept.txt", "dirty\n")
	f.Write("untouched.txt", "secret\n")
	f.during(func() {
		f.Write("both.txt", "1\n")
		f.Git("add", "both.txt", "swept.txt")
		f.Git("commit", "-qm", "both")
		f.Write("both.txt", "2\n")
		f.Write("mod.txt", "two\n")
		gittest.Must(t, os.Rename(f.Path("old.txt"), f.Path("new.txt")))
		gittest.Must(t, os.Remove(f.Path("gone.txt")))
		f.Write("mine.txt", "the run's\n")
		gittest.Must(t, os.Symlink("mod.txt", f.Path("link")))
		f.Write("bad\xff\n.txt", "x")
	}, keep, func(ev *Evidence) { wrote(ev, "mine.txt"); ev.Tells = false })

	id := func(rev string) string { return "(100644 " + f.Git("rev-parse", rev)[:7] + ")" }
	changes, err := edits.Load(f.Run)
	gittest.Must(t, err)
	gittest.Want(t, "edits", f.lines(changes), strings.Join([]string{
		"bad\xff\n.txt: none → 100644 \"x\"",
		"both.txt: " + id("HEAD:both.txt") + ` → 100644 "2\n"`,
		"gone.txt: " + id("HEAD:gone.txt") + " → none",
		`link: none → 120000 "mod.txt"`,
		`mine.txt: 100644 "the user's\n" → 100644 "the run's\n"`,
		"mod.txt: " + id("HEAD:mod.txt") + ` → 100644 "two\n"`,
		`new.txt <- old.txt: 100644 "a\nb\nc\n" → 100644 "a\nb\nc\n"`,
	}, "\n"))
	committed, err := edits.LoadCommitted(f.Run)
	gittest.Must(t, err)
	gittest.Want(t, "committed", f.lines(committed), strings.Join([]string{
		"both.txt: " + id("HEAD~:both.txt") + " → " + id("HEAD:both.txt"),
		"swept.txt: " + id("HEAD~:swept.txt") + ` → 100644 "dirty\n", held 100644 "dirty\n"`,
	}, "\n"))

	info, err := os.Stat(filepath.Join(f.Run, "edits.zip"))
	gittest.Must(t, err)
	if info.Mode().Perm()&0o077 != 0 {
		t.Errorf("mode %v: others may read it", info.Mode())
	}
	raw, err := os.ReadFile(filepath.Join(f.Run, "edits.zip"))
	gittest.Must(t, err)
	if strings.Contains(string(raw), "secret") {
		t.Error("a file that the run left alone is kept")
	}
}

func TestEditsThatAreNotKept(t *testing.T) {
	f := newFixture(t)
	f.Commit("base", "a.txt", "a\n")
	f.Write("own.env", "password=battery-staple\n")
	f.during(func() {
		f.Write("large.bin", strings.Repeat("x", edits.MaxCopy+1))
		f.Write("new.env", "password=correct-horse\n")
		f.Write("own.env", "nothing\n")
	}, keep, func(ev *Evidence) { wrote(ev, "own.env"); ev.Tells = false })
	changes, err := edits.Load(f.Run)
	gittest.Must(t, err)
	if len(changes) != 3 {
		t.Fatalf("have %+v", changes)
	}
	for _, e := range changes[:2] {
		if e.After.Hash == "" || e.After.Kept != "" {
			t.Errorf("have %+v", e)
		}
	}
	if own := changes[2]; own.Before.Hash == "" || own.Before.Kept != "" || own.After.Kept == "" {
		t.Errorf("have %+v", own)
	}
	raw, err := os.ReadFile(filepath.Join(f.Run, "edits.zip"))
	gittest.Must(t, err)
	if strings.Contains(string(raw), "password") {
		t.Error("a secret is kept")
	}

	// What purge masks is not given out as it never was.
	f.during(func() { f.Write("a.txt", "codeword\n") }, keep)
	name := filepath.Join(f.Run, "edits.zip")
	raw, err = os.ReadFile(name)
	gittest.Must(t, err)
	gittest.Must(t, os.WriteFile(name, []byte(strings.ReplaceAll(string(raw), "codeword", "********")), 0o600))
	changes, err = edits.Load(f.Run)
	gittest.Must(t, err)
	archive, err := edits.OpenArchive(f.Run)
	gittest.Must(t, err)
	if _, err := archive.Contents(changes[0].After); changes[0].Path != "a.txt" || err == nil {
		t.Errorf("%s: masked contents are taken for the file's", changes[0].Path)
	}
	gittest.Must(t, archive.Close())

	gittest.Must(t, os.Remove(name))
	f.during(func() { f.Write("b.txt", "b\n") })
	if _, err := edits.Load(f.Run); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("have %v, want none kept", err)
	}
}

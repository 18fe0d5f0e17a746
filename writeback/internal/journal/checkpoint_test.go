package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// replayed is all that a checkpoint in a folder says.
func replayed(t *testing.T, dir string) (told []string) {
	t.Helper()
	l := Log{Dir: dir, Sys: Disk{}}
	apply := func(r Record, _ int64) {
		if r.Op != OpStart && r.Op != OpContents && r.Op != OpEnd {
			told = append(told, fmt.Sprintf("%s %s %s%s %q", r.Op, r.ID, r.File, r.Hash, r.Text))
		}
	}
	file := func(name string, s *Stored) {
		text, err := s.Read()
		if err != nil {
			told = append(told, fmt.Sprintf("%s: %v", name, err))
			return
		}
		apply(Record{Op: OpFile, File: name, Text: text}, 0)
	}
	pos, damage, err := l.Replay(nil, apply, file)
	if err != nil || pos != (Position{}) {
		t.Fatalf("came to %v, %v", pos, err)
	}
	told = append(told, damage...)
	slices.Sort(told)
	return told
}

func sample(files int) []byte {
	w := NewWriter(Position{"gen", 7})
	for i := range files {
		w.File(fmt.Sprintf("notes/%d \"quoted\"\xff.md", i), bytes.Repeat([]byte("a\\line\n"), 4*i+1))
	}
	w.Add(Record{Op: OpTomb, Hash: "hash"})
	w.Add(Record{Op: OpLost, ID: "id", Text: []byte("text")})
	return w.Bytes()
}

// TestCheckpointIsReadInParts holds that its end and its files say what all of it
// says, and that one without that end is read whole.
func TestCheckpointIsReadInParts(t *testing.T) {
	for _, files := range []int{0, 1, 50} {
		dir := t.TempDir()
		text := sample(files)
		write := func(text []byte) []string {
			if err := os.WriteFile(filepath.Join(dir, "checkpoint"), text, 0o600); err != nil {
				t.Fatal(err)
			}
			return replayed(t, dir)
		}
		inParts := write(text)
		ended := bytes.LastIndexByte(text[:len(text)-1], '\n') + 1
		whole := write(text[:ended])
		if !slices.Equal(inParts, whole) || len(inParts) != files+2 {
			t.Errorf("%d files: in parts\n%q\nwhole\n%q", files, inParts, whole)
		}
	}
}

// TestDamagedCheckpoint damages each byte: the result is never wrong.
func TestDamagedCheckpoint(t *testing.T) {
	dir := t.TempDir()
	text := sample(3)
	if err := os.WriteFile(filepath.Join(dir, "checkpoint"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	right := replayed(t, dir)
	for i := range text {
		damaged := bytes.Clone(text)
		damaged[i] ^= 1
		if err := os.WriteFile(filepath.Join(dir, "checkpoint"), damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		told, missing := replayed(t, dir), 0
		for _, line := range right {
			if !slices.Contains(told, line) {
				missing++
			}
		}
		wrong := slices.DeleteFunc(told, func(line string) bool { return slices.Contains(right, line) })
		if missing > 2 || missing > 0 && len(wrong) == 0 {
			t.Fatalf("byte %d: %d records are missing, and %q is told", i, missing, wrong)
		}
	}
}

func TestStoredOfAnotherCheckpoint(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "checkpoint")
	if err := os.WriteFile(path, sample(2), 0o600); err != nil {
		t.Fatal(err)
	}
	var stored []*Stored
	l := Log{Dir: dir, Sys: Disk{}}
	if _, _, err := l.Replay(nil, func(Record, int64) {}, func(_ string, s *Stored) { stored = append(stored, s) }); err != nil || len(stored) != 2 {
		t.Fatalf("%d files, %v", len(stored), err)
	}
	if err := os.WriteFile(path, sample(2), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := stored[0].Read(); !errors.Is(err, ErrReplaced) {
		t.Errorf("a text of the checkpoint before: %v", err)
	}
}

func FuzzCheckpoint(f *testing.F) {
	f.Add(sample(2))
	f.Add([]byte("\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "checkpoint"), text, 0o600); err != nil {
			t.Fatal(err)
		}
		l := Log{Dir: dir, Sys: Disk{}}
		_, _, _ = l.Replay(nil, func(Record, int64) {}, func(_ string, s *Stored) { _, _ = s.Read() })
	})
}

package index

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"agentflow/index/store"
	"agentflow/memory/retrieval"
)

// TestPurge checks that no file contains any part of a purged text, although
// the text was edited and synced and damaged copies were kept before.
func TestPurge(t *testing.T) {
	s := filled(t)
	secret := entry("0199-secret", day, "Rotate zanzibarkey", "The password is quetzalcoatlus hippopotomonstrum.")
	s.put("secret.md", entry("keep", day, "Keep this walrus", "here")+secret)
	d := s.open(Options{Notice: func(string) {}})
	s.sync(d)
	must(t, os.WriteFile(s.db()+".damaged", []byte("quetzalcoatlus"), 0o600))
	if got := headings(t, d, retrieval.Query{Text: "zanzibarkey"}); got != "Rotate zanzibarkey" {
		t.Fatalf("found %q before", got)
	}
	s.put("secret.md", entry("keep", day, "Keep this walrus", "here"))
	must(t, d.Purge(t.Context(), "0199-secret"))
	for _, suffix := range []string{"", "-wal", "-shm", ".damaged"} {
		b, err := os.ReadFile(s.db() + suffix)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		must(t, err)
		for _, word := range []string{"anzibar", "etzalc", "otomonst", "0199-sec", "Rotate"} {
			if bytes.Contains(b, []byte(word)) || bytes.Contains(bytes.ToLower(b), []byte(strings.ToLower(word))) {
				t.Errorf("%q is still in index.db%s", word, suffix)
			}
		}
	}
	s.sync(d)
	if got := headings(t, d, retrieval.Query{Text: "walrus zanzibarkey"}); got != "Keep this walrus" {
		t.Errorf("found %q after", got)
	}
	check(t, s)
}

// TestPurgeAfterSync purges an entry that an edit and a Sync removed before, so
// that only its traces are left.
func TestPurgeAfterSync(t *testing.T) {
	s := filled(t)
	s.put("secret.md", entry("0199-secret", day, "Rotate", "quetzalcoatlus"))
	d := s.open(Options{})
	s.sync(d)
	must(t, os.Remove(s.file("secret.md")))
	s.sync(d)
	must(t, d.Purge(t.Context(), "0199-secret"))
	for _, suffix := range []string{"", "-wal"} {
		b, err := os.ReadFile(s.db() + suffix)
		must(t, err)
		if bytes.Contains(b, []byte("etzalc")) {
			t.Errorf("the text is still in index.db%s", suffix)
		}
	}
	check(t, s)
}

// TestPurgeKeptInMemory checks that a purge deletes an index from the disk when
// it cannot be written.
func TestPurgeKeptInMemory(t *testing.T) {
	s := filled(t)
	s.put("secret.md", entry("0199-secret", day, "Rotate", "quetzalcoatlus"))
	d := s.open(Options{Notice: func(string) {}})
	s.sync(d)
	full := error(syscall.ENOSPC)
	must(t, d.With(t.Context(), func(store.Handle) error {
		defer func() { full = nil }()
		return full
	}))
	must(t, d.Purge(t.Context(), "0199-secret"))
	for _, suffix := range []string{"", "-wal", ".damaged"} {
		if _, err := os.Stat(s.db() + suffix); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("index.db%s: %v", suffix, err)
		}
	}
}

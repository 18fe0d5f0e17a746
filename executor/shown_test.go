package executor

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestReadRecalled: what stood in the prompt can be told later, for as long
// as the run's folder is there.
func TestReadRecalled(t *testing.T) {
	l := newLab(t)
	var r recalled
	l.deps.Recall = &r
	rec := l.run(t, Request{Task: "Fix the clock\nof SECRETtoken", Agent: sh(t, "true")})
	got, err := ReadRecalled(l.deps.RunsDir, rec.Entry.ID)
	want := []RecalledItem{{Path: "memory/2026-11-20.md", Line: 3, Title: "Clock"}}
	if err != nil || got.Task != "Fix the clock\nof ***" || !slices.Equal(got.Hits, want) {
		t.Errorf("got %+v, error %v", got, err)
	}
	if thing := got.Hits[0].Thing(); thing != "memory/2026-11-20.md#Clock" {
		t.Errorf("it is named %q", thing)
	}
	if err := os.Remove(filepath.Join(rec.Dir, journalFile)); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{rec.Entry.ID, "../" + rec.Entry.ID, ""} {
		if _, err := ReadRecalled(l.deps.RunsDir, id); !errors.Is(err, ErrNoFolder) {
			t.Errorf("%q: error %v", id, err)
		}
	}
	if err := os.WriteFile(filepath.Join(rec.Dir, journalFile), []byte(`{"version":1,`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadRecalled(l.deps.RunsDir, rec.Entry.ID); err == nil || errors.Is(err, ErrNoFolder) {
		t.Errorf("damaged: %v", err)
	}
}

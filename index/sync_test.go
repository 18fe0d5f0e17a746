package index

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"agentflow/index/store"
	"agentflow/memory/retrieval"
)

func TestSyncAndSearch(t *testing.T) {
	s := newStore(t)
	s.put("2026-11-20.md", entry("e1", day.AddDate(0, 0, -1), "Fix the flaky login test", "The clock in auth/session.go was real; it is faked now."))
	s.put("2026-11-21.md", entry("e2", day, "Speed up the parser", "parseConfig reads the file once."))
	s.put("MEMORY.md", "# Memory\n\nWe deploy on Fridays only.\n")
	d := s.open(Options{})
	if r := s.sync(d); r.Files != 3 || r.Changed != 3 || r.Removed != 0 || len(r.Skipped) > 0 {
		t.Fatalf("first sync: %+v", r)
	}
	for query, want := range map[string]string{
		"why did we change the clock in the login test?": "Fix the flaky login test",
		"config parsing": "Speed up the parser",
		"session.go":     "Fix the flaky login test",
	} {
		if got := headings(t, d, retrieval.Query{Text: query, Gate: true}); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
	if got := search1(t, d, retrieval.Query{Text: "deploy friday"}); len(got) != 1 || got[0].Path != "memory/MEMORY.md" {
		t.Errorf("hand-written text: %+v", got)
	}
	if r := s.sync(d); r.Changed != 0 || r.Removed != 0 {
		t.Errorf("nothing changed: %+v", r)
	}
	if err := os.Remove(s.file("2026-11-21.md")); err != nil {
		t.Fatal(err)
	}
	s.put("2026-11-20.md", strings.Replace(entry("e1", day, "Fix the flaky login test", "x"), "login", "logout", -1))
	if r := s.sync(d); r.Changed != 1 || r.Removed != 1 {
		t.Errorf("one edited, one removed: %+v", r)
	}
	if got := headings(t, d, retrieval.Query{Text: "parser login clock"}); got != "" {
		t.Errorf("old text is still found: %s", got)
	}
}

// TestSyncListed syncs with a listing made before the index was opened, and
// checks the reported problems of that listing.
func TestSyncListed(t *testing.T) {
	s := filled(t)
	listed := List(t.Context(), s.source())
	d := s.open(Options{})
	r, err := d.SyncListed(t.Context(), listed)
	must(t, err)
	if want := s.sync(s.open(Options{})); r.Changed == 0 || r.Files != want.Files {
		t.Errorf("%+v, later %+v", r, want)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.SyncListed(t.Context(), List(ended, s.source())); !errors.Is(err, context.Canceled) {
		t.Errorf("a listing that was cut short: %v", err)
	}
}

// placeless is a store that may not be asked for its place: a server measures its tables for it.
type placeless struct {
	store.Store
	t *testing.T
}

type placelessHandle struct {
	store.Handle
	t *testing.T
}

func (p placeless) With(ctx context.Context, op func(store.Handle) error) error {
	return p.Store.With(ctx, func(h store.Handle) error { return op(placelessHandle{h, p.t}) })
}

func (p placelessHandle) Place(ctx context.Context) (string, int64) {
	p.t.Error("a sync asks where the index is")
	return p.Handle.Place(ctx)
}

func TestSyncDoesNotAskForThePlace(t *testing.T) {
	s := filled(t)
	d := s.open(Options{})
	d.Store = placeless{d.Store, t}
	if r := s.sync(d); r.Memory || r.Changed == 0 {
		t.Errorf("%+v", r)
	}
}

package index

import (
	"os"
	"strings"
	"testing"

	"agentflow/index/sources"
	"agentflow/memory/retrieval"
)

// TestNoTextIsNotIndexed checks that a sync names a binary file once and that
// no search finds it, also if it was text before.
func TestNoTextIsNotIndexed(t *testing.T) {
	s := newStore(t)
	s.put("picture.md", "quokkas\x00\x01\x02 quokkas\n")
	s.put("turned.md", "wombats\n")
	d := s.open(Options{})
	if r := s.syncs(t, d); len(r.Skipped) != 1 || !strings.Contains(r.Skipped[0], "memory/picture.md: it is no text") {
		t.Errorf("skipped %q", r.Skipped)
	}
	s.put("turned.md", "\x00\x01wombats\n")
	if r := s.syncs(t, d); len(r.Skipped) != 1 || !strings.Contains(r.Skipped[0], "memory/turned.md: it is no text") {
		t.Errorf("skipped %q", r.Skipped)
	}
	for _, word := range []string{"quokkas", "wombats"} {
		if hits := search1(t, d, retrieval.Query{Text: word}); len(hits) > 0 {
			t.Errorf("%s: %+v", word, hits)
		}
	}
	s.put("turned.md", "wombats again\n")
	s.syncs(t, d)
	if hits := search1(t, d, retrieval.Query{Text: "wombats"}); len(hits) != 1 {
		t.Errorf("text again: %+v", hits)
	}
}

// TestNULsInMemory checks that NUL bytes at the end of a file, or within it, as
// a power failure leaves them, hide none of its text from searches.
func TestNULsInMemory(t *testing.T) {
	s := newStore(t)
	torn := "# 2026-11-21\n\n- Wombats dig.\n\xe2\x82" + strings.Repeat("\x00", 5000) + "\n\n- Quokkas smile.\n"
	s.put("2026-11-21.md", torn)
	s.put("hand.md", "- Numbats nap.\n\x00\x00")
	d := s.open(Options{})
	if r := s.syncs(t, d); len(r.Skipped) > 0 {
		t.Errorf("skipped %q", r.Skipped)
	}
	for _, word := range []string{"wombats", "quokkas", "numbats"} {
		if hits := search1(t, d, retrieval.Query{Text: word}); len(hits) != 1 || strings.Contains(hits[0].Text, "\x00") {
			t.Errorf("%s: %+v", word, hits)
		}
	}
}

// TestTooLargeIsNamed checks that a file over the limit is reported and not
// read, and that the space of a formerly indexed large file is released.
func TestTooLargeIsNamed(t *testing.T) {
	s := newStore(t)
	s.put("small.md", "quokkas\n")
	s.put("large.md", strings.Repeat("a large wombat in a file that is large, said so often that it takes space\n\n", 240_000))
	d := s.open(Options{})
	s.sync(d)
	before := s.size()
	if err := os.Truncate(s.file("large.md"), sources.MaxFile+1); err != nil {
		t.Fatal(err)
	}
	if r := s.syncs(t, d); len(r.Skipped) != 1 || !strings.Contains(r.Skipped[0], "memory/large.md: 32 MB, more than 32") || r.Removed != 1 {
		t.Errorf("%+v", r)
	}
	if after := s.size(); after > before/2 {
		t.Errorf("the index had %d KB, and has %d KB without the large file", before>>10, after>>10)
	}
	if hits := search1(t, d, retrieval.Query{Text: "quokkas"}); len(hits) != 1 {
		t.Errorf("the rest: %+v", hits)
	}
}

// syncs is like sync, for a store in which something is skipped.
func (s notes) syncs(t *testing.T, d *DB) SyncReport {
	t.Helper()
	r, err := d.Sync(t.Context(), s.source())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// size returns the size of the index with its log, in bytes.
func (s notes) size() (n int64) {
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(s.db() + suffix); err == nil {
			n += info.Size()
		}
	}
	return n
}

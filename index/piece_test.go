package index

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentflow/index/sources"
	"agentflow/memory/chunk"
	"agentflow/memory/markdown"
	"agentflow/memory/retrieval"
)

// long returns the text of a file of n entries.
func long(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(entry(fmt.Sprintf("e%d", i), day, fmt.Sprintf("Change number%d", i), strings.Repeat(fmt.Sprintf("word%d was touched. ", i%777), 20)))
	}
	return b.String()
}

func ids(t *testing.T, d *DB) []int64 {
	t.Helper()
	c, err := tables(t, d).Conn(t.Context())
	must(t, err)
	defer c.Close()
	list, err := column[int64](t.Context(), c, `SELECT id FROM chunks ORDER BY id`)
	must(t, err)
	return list
}

// TestPieces checks that a file read in pieces gives the same chunks as one
// read whole, and that one changed entry costs one chunk.
func TestPieces(t *testing.T) {
	s := newStore(t)
	text := long(3000)
	s.put("2026-11-21.md", text)
	d := s.open(Options{})
	var seen []Progress
	d.o.Progress = func(p Progress) { seen = append(seen, p) }
	r := s.sync(d)
	want := slices.Collect(chunk.All("memory/2026-11-21.md", markdown.Parse([]byte(text)), d.o.ChunkTokens, d.o.ChunkOverlap, d.now()))
	c := oneConn(t, tables(t, d))
	got, err := column[string](t.Context(), c, `SELECT start||'-'||stop FROM chunks ORDER BY id`)
	must(t, err)
	said := texts(t, d)
	if len(got) != len(want) || r.Chunks != len(want) || r.Bytes != int64(len(text)) {
		t.Fatalf("%d chunks, want %d: %+v", len(got), len(want), r)
	}
	for i, k := range want {
		if got[i] != fmt.Sprintf("%d-%d", k.StartLine, k.EndLine) || said[i] != k.Text {
			t.Fatalf("chunk %d: %s: %s", i, got[i], said[i])
		}
	}
	all := Progress{Files: 1, AllFiles: 1, Bytes: r.Bytes, AllBytes: r.Bytes}
	if len(seen) < 4 || seen[0].Files != 0 || seen[len(seen)-1] != all {
		t.Errorf("progress %+v", seen)
	}
	before := ids(t, d)
	s.put("2026-11-21.md", strings.Replace(text, "**Task**: Change number1500\n", "**Task**: Change number1500 again\n  and more\n", 1))
	if r := s.sync(d); r.Changed != 1 || r.Chunks != 1 {
		t.Errorf("one entry changed: %+v", r)
	}
	after := ids(t, d)
	kept := slices.DeleteFunc(slices.Clone(after), func(id int64) bool { _, ok := slices.BinarySearch(before, id); return !ok })
	if len(after) != len(before) || len(kept) != len(before)-1 {
		t.Errorf("%d of %d chunks kept their row", len(kept), len(before))
	}
	check(t, s)
}

// TestCutShort interrupts a sync between large files. Committed files stay, and
// the next sync continues after them.
func TestCutShort(t *testing.T) {
	was := batchBytes
	batchBytes = aheadBytes
	defer func() { batchBytes = was }()
	s := newStore(t)
	parts := strings.SplitAfter(long(5000), "---\n\n")
	for i := range 5 {
		s.put(fmt.Sprintf("2026-11-2%d.md", i), strings.Join(parts[1000*i:1000*(i+1)], ""))
	}
	d := s.open(Options{})
	ctx, cancel := context.WithCancel(t.Context())
	d.o.Progress = func(p Progress) {
		if p.Bytes > batchBytes+pieceBytes {
			cancel()
		}
	}
	if _, err := d.Sync(ctx, s.source()); err == nil {
		t.Fatal("was not cut short")
	}
	d.o.Progress = nil
	done := len(ids(t, d))
	if done == 0 {
		t.Fatal("nothing was kept")
	}
	if got := headings(t, d, retrieval.Query{Text: "number7"}); got != "Change number7" {
		t.Errorf("found %q in the part", got)
	}
	if r := s.sync(d); r.Changed == 0 || r.Changed == 5 || r.Chunks != len(ids(t, d))-done {
		t.Errorf("did not go on: %+v after %d chunks", r, done)
	}
	check(t, s)
}

// TestUnreadable checks that a file that cannot be read to its end is named,
// and that the index keeps what it has of it.
func TestUnreadable(t *testing.T) {
	s := filled(t)
	d := s.open(Options{})
	s.sync(d)
	before := len(ids(t, d))
	must(t, os.Remove(s.file("day-03.md")))
	must(t, os.Mkdir(s.file("day-03.md"), 0o700))
	y := syncer{h: d.filled, o: d.o, report: &SyncReport{}}
	f := sources.File{Name: "memory/day-03.md", Dir: filepath.Dir(s.file("x"))}
	must(t, y.apply(t.Context(), []sources.File{f}, nil, nil))
	if len(y.report.Skipped) != 1 || !strings.Contains(y.report.Skipped[0], "day-03.md") || len(ids(t, d)) != before {
		t.Errorf("%+v", y.report)
	}
}

package index

import (
	"fmt"
	"slices"
	"testing"

	"agentflow/memory/retrieval"
)

// likely returns the files that the index expects a task to touch.
func likely(t testing.TB, d *DB, text string) []retrieval.LikelyFile {
	t.Helper()
	a, err := d.Ask(t.Context(), retrieval.Query{Text: text, Now: day, Task: true, Files: 10})
	must(t, err)
	return a.Files
}

// TestHistoryIsInStep changes memory files and compares the file model's
// answers with those from a freshly built index.
func TestHistoryIsInStep(t *testing.T) {
	s := newStore(t)
	d := s.open(Options{})
	text := func(from, to int) (all string) {
		for i := from; i < to; i++ {
			all += written(fmt.Sprint("e", i), fmt.Sprintf("The flaky login %d", i), touching(i%9, fmt.Sprintf("auth/part%d.go", i%40), fmt.Sprintf("web/page%d.ts", i%7)))
		}
		return all
	}
	for step, change := range []func(){
		func() { s.put("a.md", text(0, 300)) },
		func() { s.put("b.md", text(300, 700)) },
		func() { s.put("a.md", text(0, 20)+text(40, 300)) },
		func() { s.put("b.md", "nothing") },
	} {
		change()
		s.sync(d)
		got := likely(t, d, "flaky login page")
		if len(got) != 10 {
			t.Fatalf("step %d: %d files", step, len(got))
		}
		_, err := d.Rebuild(t.Context(), s.source())
		must(t, err)
		if want := likely(t, d, "flaky login page"); !slices.EqualFunc(got, want, sameFile) {
			t.Errorf("step %d: %+v\nanew %+v", step, got, want)
		}
	}
	must(t, d.Purge(t.Context(), "e41"))
	if n := len(listBlocks(t, d)); n != 2 {
		t.Errorf("%d blocks", n)
	}
	s.put("a.md", "nothing")
	s.sync(d)
	if blocks := listBlocks(t, d); len(blocks) != 0 || len(likely(t, d, "flaky login page")) != 0 {
		t.Errorf("%d blocks of nothing", len(blocks))
	}
}

// sameFile compares the fields that do not depend on the order of
// floating-point additions.
func sameFile(a, b retrieval.LikelyFile) bool {
	return a.Path == b.Path && a.Why == b.Why && a.Sure == b.Sure && a.Score == b.Score
}

func listBlocks(t testing.TB, d *DB) [][]byte {
	t.Helper()
	blocks, err := column[[]byte](t.Context(), oneConn(t, tables(t, d)), `SELECT data FROM history`)
	must(t, err)
	return blocks
}

// TestDamagedHistory checks that reading a damaged history reports the damage
// and rebuilds the index.
func TestDamagedHistory(t *testing.T) {
	s := newStore(t)
	s.put("a.md", written("e1", "The flaky login", touching(0, "auth/login.go")))
	s.sync(s.open(Options{}))
	alter(t, s.db(), `UPDATE history SET data=x'0100'`)
	notices := 0
	d := s.open(Options{Notice: func(string) { notices++ }})
	s.sync(d)
	if got := likely(t, d, "flaky login"); len(got) != 1 || got[0].Path != "auth/login.go" || notices != 1 {
		t.Errorf("%+v after %d notices", got, notices)
	}
}

// TestTaskFindsLikelyEntries checks that a task finds the newest entries about
// a file that it names, although they share no word with it, and that other
// queries do not.
func TestTaskFindsLikelyEntries(t *testing.T) {
	s := newStore(t)
	s.put("a.md", written("named", "Make it wait", touching(3, "auth/session.go"))+written("other", "Speed up the parser", touching(2, "lib/parser.go")))
	d := s.open(Options{})
	s.sync(d)
	q := retrieval.Query{Text: "expire a session", Now: day}
	if hits := search1(t, d, q); len(hits) != 1 { // by its path
		t.Fatalf("%d hits", len(hits))
	}
	q.Task = true
	hits := search1(t, d, q)
	if len(hits) != 2 || hits[0].EntryID != "named" {
		t.Errorf("%+v", hits)
	}
	q.Filter.Since = day.AddDate(0, 0, -1)
	if hits := search1(t, d, q); len(hits) != 0 {
		t.Errorf("past the filter: %+v", hits)
	}
}

package index

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"agentflow/memory/retrieval"
)

// TestSyncSome checks that a Sync with little time leaves the rest to later
// calls, and that a search meanwhile reports this and finds what the index
// already holds.
func TestSyncSome(t *testing.T) {
	defer func(d time.Duration) { someTime = d }(someTime)
	someTime = 0
	s := newStore(t)
	const files = 8
	write := func(word string) {
		for i := range files {
			var b strings.Builder
			for j := range 400 {
				b.WriteString(entry(fmt.Sprintf("e%d-%d", i, j), day, fmt.Sprintf("Title%d %s", j, word), strings.Repeat("some words about it. ", 40)))
			}
			s.put(fmt.Sprintf("day-%02d.md", i), b.String())
		}
	}
	write("before")
	d := s.open(Options{})
	s.sync(d)
	write("afterwards")
	lefts := []int{}
	for range files {
		a, report, syncErr, err := d.AskListed(t.Context(), s.listed(), retrieval.Query{Text: "before afterwards", Now: day})
		must(t, syncErr)
		must(t, err)
		if len(a.Hits) == 0 {
			t.Error("nothing is found meanwhile")
		}
		if lefts = append(lefts, report.Left); report.Left == 0 {
			break
		}
	}
	if len(lefts) < 3 || lefts[0] == 0 || lefts[len(lefts)-1] != 0 {
		t.Errorf("files left by one after the other: %v", lefts)
	}
	check(t, s)
	if r := s.sync(d); r.Changed+r.Left != 0 {
		t.Errorf("a Sync after that found %d changed files", r.Changed)
	}
}

package app

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// TestPrintFactsFits cuts a fact to what a terminal shows.
func TestPrintFactsFits(t *testing.T) {
	var out bytes.Buffer
	a := &operation{voice: voice{out: &out, outTTY: true}}
	long := storedFact{Fact: memory.Fact{ID: "1", Namespace: "branch/" + strings.Repeat("b", 40), Text: strings.Repeat("漢字 ", 60)}}
	a.printFacts([]storedFact{long, {Fact: memory.Fact{Text: "by hand"}}}, time.Now())
	for line := range strings.Lines(out.String()) {
		if n := cellsOf(strings.TrimSuffix(line, "\n")); n > columns() || n < 20 {
			t.Errorf("%d columns of %d: %q", n, columns(), line)
		}
	}
	if strings.Count(out.String(), "\n") != 2 || !strings.Contains(out.String(), "…") || !strings.Contains(out.String(), "by hand") {
		t.Errorf("%q", out.String())
	}
}

// TestFactOrder keeps what is equal in place, and turns all of it round.
func TestFactOrder(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }
	list := []storedFact{
		{Fact: memory.Fact{ID: "a", Key: "k", Importance: 0.5, Created: day(3)}},
		{Fact: memory.Fact{ID: "b", Importance: 0.9, Created: day(1), Updated: day(4)}},
		{Fact: memory.Fact{ID: "c", Key: "a", Importance: 0.5}, storedBlock: storedBlock{Block: markdown.Block{Entry: &memory.Entry{Time: day(2)}}}},
	}
	for by, want := range map[string]string{"created": "acb", "updated": "bac", "importance": "bac", "key": "cab", "namespace": "abc", "": "acb"} {
		for _, reverse := range []bool{false, true} {
			got := append([]storedFact{}, list...)
			(&factOrder{by, reverse}).sort(got)
			ids := ""
			for _, k := range got {
				ids += k.ID
			}
			if reverse {
				ids = ids[2:] + ids[1:2] + ids[:1]
			}
			if ids != want {
				t.Errorf("by %q, reverse %v: %s, want %s", by, reverse, ids, want)
			}
		}
	}
}

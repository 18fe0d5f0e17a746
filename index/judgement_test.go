package index

import (
	"fmt"
	"os"
	"testing"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/memory/retrieval"
)

// TestJudgementLowers checks that of two equal entries, the one judged useless
// for a task like the query comes last, until the judgement is removed. Other
// queries ignore the judgement, and its text is never a hit.
func TestJudgementLowers(t *testing.T) {
	s := newStore(t)
	s.put("2026-11-21.md", written("one", "The flaky login", nil)+written("two", "The flaky login", nil))
	for i := range 8 {
		s.put(fmt.Sprintf("2026-10-0%d.md", i+1), entry(fmt.Sprintf("other%d", i), day, "Keys are rotated", "And signed."))
	}
	s.put("MEMORY.md", "# Conventions\n\nThe flaky login of conventions.\n")
	d := s.open(Options{})
	order := func(query string) (out []string, hits []retrieval.Hit) {
		t.Helper()
		s.sync(d)
		hits = search1(t, d, retrieval.Query{Text: query})
		for _, h := range hits {
			out = append(out, h.Thing())
		}
		return out, hits
	}
	before, _ := order("flaky login")
	if len(before) != 3 {
		t.Fatalf("found %v", before)
	}
	for _, thing := range before {
		s.put("feedback.md", markdown.FormatJudgement(memory.Judgement{ID: "j", Time: day, Task: "Why is the login flaky?", Entry: thing, Title: "Zanzibar", Run: "r"}))
		after, hits := order("flaky login")
		last := hits[len(hits)-1]
		if last.Thing() != thing || last.Explain.Judgement != 0.5 || hits[0].Explain.Judgement != 1 {
			t.Errorf("judged %s: order %v, %+v", thing, after, last.Explain)
		}
		if _, hits := order("where is the clock of the login real"); len(hits) == 0 || hits[0].Explain.Judgement != 1 {
			t.Errorf("judged for another query: %+v", hits)
		}
		if found, _ := order("zanzibar"); len(found) > 0 {
			t.Errorf("found the judgement itself: %v", found)
		}
	}
	s.put("feedback.md", "# Feedback\n")
	if after, _ := order("flaky login"); after[2] != before[2] {
		t.Errorf("taken back: order %v, was %v", after, before)
	}
	s.put("feedback.md", markdown.FormatJudgement(memory.Judgement{ID: "j", Time: day, Task: "Why is the login flaky?", Entry: before[0], Run: "r"}))
	if after, _ := order("flaky login"); after[2] != before[0] {
		t.Errorf("judged: order %v", after)
	}
	if err := os.Remove(s.file("feedback.md")); err != nil {
		t.Fatal(err)
	}
	if after, _ := order("flaky login"); after[2] != before[2] {
		t.Errorf("the file is gone: order %v, was %v", after, before)
	}
}

// TestPinnedRanksUp checks that of two equal entries the pinned one comes
// first, although it is older.
func TestPinnedRanksUp(t *testing.T) {
	ids, _ := order(t, retrieval.Query{Text: "flaky login"}, written("new", "The flaky login", nil),
		written("pinned", "The flaky login", func(e *memory.Entry) { e.Pinned = true; e.Time = day.AddDate(-1, 0, 0) }))
	if ids != "pinned new" {
		t.Errorf("order %s", ids)
	}
}

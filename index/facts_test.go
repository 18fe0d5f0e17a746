package index

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/memory/retrieval"
)

func bullet(f memory.Fact) string { return markdown.FormatFact(f) }

// TestFactsExpire checks that a struck fact is never found, and that a fact
// with an expiry is found until then, although its file does not change. Only
// the fact's own file is read again.
func TestFactsExpire(t *testing.T) {
	s := newStore(t)
	end := day.Add(time.Hour)
	s.put("MEMORY.md", "# Memory\n\n"+bullet(memory.Fact{ID: "f1", Text: "The staging door is blue.", Expires: end})+
		bullet(memory.Fact{ID: "f2", Text: "The staging window is green.", Expires: end.Add(time.Hour)})+
		bullet(memory.Fact{ID: "f3", Text: "The staging roof is crimson.", Struck: true}))
	s.put("2026-11-21.md", written("e1", "Paint", fact(memory.Fact{ID: "f4", Text: "The staging fence is white.", Expires: end.Add(2 * time.Hour)})))
	s.put("2026-11-20.md", written("e2", "Nothing", nil))
	d := s.open(Options{})
	old := day.Add(-time.Hour)
	for _, name := range []string{"MEMORY.md", "2026-11-21.md", "2026-11-20.md"} {
		must(t, os.Chtimes(s.file(name), old, old))
	}
	// The listing trusts what did not change for a while by the same clock.
	start := time.Now().Add(time.Hour)
	shift := start.Sub(day)
	rewrite := func(name string) {
		src, err := os.ReadFile(s.file(name))
		must(t, err)
		text := string(src)
		for i := range 3 {
			at := end.Add(time.Duration(i) * time.Hour)
			text = strings.ReplaceAll(text, at.Format(time.RFC3339), at.Add(shift).UTC().Format(time.RFC3339))
		}
		must(t, os.WriteFile(s.file(name), []byte(text), 0o600))
	}
	rewrite("MEMORY.md")
	rewrite("2026-11-21.md")
	for _, step := range []struct {
		after   time.Duration
		changed int
		want    string
	}{
		{0, 3, "blue green white"},
		{time.Minute, 0, "blue green white"},
		{time.Hour - time.Second, 0, "blue green white"},
		{time.Hour, 1, "green white"},
		{time.Hour + time.Minute, 0, "green white"},
		{4 * time.Hour, 2, ""},
		{5 * time.Hour, 0, ""},
	} {
		d.now = func() time.Time { return start.Add(step.after) }
		if r := s.sync(d); r.Changed != step.changed {
			t.Errorf("after %v: %d files changed, want %d", step.after, r.Changed, step.changed)
		}
		var all strings.Builder
		for _, h := range search1(t, d, retrieval.Query{Text: "staging door window roof fence"}) {
			all.WriteString(h.Text)
		}
		for _, word := range []string{"blue", "green", "white", "crimson"} {
			if got := strings.Contains(all.String(), word); got != strings.Contains(step.want, word) {
				t.Errorf("after %v: %q is found: %v", step.after, word, got)
			}
		}
	}
}

// TestMovedFactsStandForTheirEntry covers a fact of MEMORY.md that was moved
// out of a run's entry. Searches find it by itself and for its entry: the hit
// is the one of the two that matches better, and a hit for the fact shows the
// entry with it. Both together open the gate as the entry did before.
func TestMovedFactsStandForTheirEntry(t *testing.T) {
	s := newStore(t)
	const run = "019daf6d-c560-7135-9197-000000000001"
	var notes strings.Builder
	for i := range 30 {
		notes.WriteString(written(fmt.Sprint("n", i), fmt.Sprintf("Note %d of other things", i), nil))
	}
	s.put("2026-11-20.md", notes.String())
	s.put("2026-11-21.md", written(run, "Bump pgx to the latest", nil))
	s.put("MEMORY.md", "# Memory\n\n"+bullet(memory.Fact{ID: "f1", Text: "The staging door is blue.", Source: run})+
		bullet(memory.Fact{ID: "f2", Text: "The staging window is green.", Source: memory.ByHand})+
		bullet(memory.Fact{ID: "f3", Text: "Version six breaks pgx prepared statements behind bouncers.", Source: run}))
	d := s.open(Options{})
	s.sync(d)
	for _, test := range []struct{ query, want, origin string }{
		{"prepared statements of pgx behind bouncers", "f3 in Memory of " + run, run},
		{"blue door", "f1 in Memory of " + run, ""},
		{"bump to the latest pgx", run + " in 2026-11-21 12:00 · Bump pgx to the latest of ", ""},
		{"green window", " in Memory of ", ""},
	} {
		for _, gate := range []bool{false, true} {
			hits := search1(t, d, retrieval.Query{Text: test.query, Gate: gate})
			if len(hits) == 0 {
				t.Errorf("%q, gate %v: nothing", test.query, gate)
				continue
			}
			h, origin := hits[0], ""
			if h.Origin != nil {
				origin = h.Origin.EntryID
			}
			if got := h.EntryID + " in " + h.Heading + " of " + h.Source; got != test.want || origin != test.origin {
				t.Errorf("%q, gate %v: %s, beside %q", test.query, gate, got, origin)
			}
			for _, other := range hits[1:] {
				if other.EntryID == run || other.Source == run {
					t.Errorf("%q, gate %v: its run stands twice", test.query, gate)
				}
			}
		}
	}
	for _, judged := range []retrieval.Hit{{EntryID: "f3", Source: run}, {EntryID: run}} {
		if judged.Thing() != run {
			t.Errorf("%+v is judged as %s", judged, judged.Thing())
		}
	}
	s.put(memory.FeedbackFile, string(markdown.FormatJudgement(memory.Judgement{ID: "j1", Title: "Bump", Run: "r", Entry: run, Task: "prepared statements of pgx behind bouncers", Time: day})))
	s.sync(d)
	if hits := search1(t, d, retrieval.Query{Text: "prepared statements of pgx behind bouncers"}); hits[0].Explain.Judgement == 1 {
		t.Errorf("a fact of a useless run: %+v", hits[0].Explain)
	}
	if st, err := d.Stats(t.Context()); err != nil || st.Entries != 31 {
		t.Errorf("%d entries, %v", st.Entries, err)
	}
}

// What shares more telling words with a query has more evidence; the texts
// need not be indexed.
func TestEvidenceOfTexts(t *testing.T) {
	s := newStore(t)
	s.put("2026-11-21.md", written("e1", "Paint the login", nil)+written("e2", "Paint the clock", nil)+written("e3", "Paint the wall", nil))
	d := s.open(Options{})
	s.sync(d)
	got, err := d.Evidence(t.Context(), "the flaky login of the clock", []string{"The login is flaky on the clock.", "Clocks.", "Nothing of it.", ""})
	if err != nil || len(got) != 4 || !(got[0].Words > got[1].Words && got[1].Words > got[2].Words && got[0].About > got[1].About) || got[2] != (Evidence{}) || got[3] != (Evidence{}) {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := d.Evidence(t.Context(), "?", []string{"x"}); err != nil || len(got) != 1 || got[0] != (Evidence{}) {
		t.Errorf("%v, %v", got, err)
	}
}

package index

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentflow/index/rank"
	"agentflow/index/stems"
	"agentflow/internal/words"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/memory/retrieval"
)

// spelt returns an index for queries with typing errors.
func spelt(t testing.TB) *DB {
	s := newStore(t)
	for i := range 12 {
		s.put(fmt.Sprintf("2026-10-%02d.md", i+1), entry(fmt.Sprintf("other%d", i), day, "Keys are rotated", "The clock was real."))
	}
	s.put("2026-11-21.md", written("invoice", "Invoices have gaps", nil)+written("schedule", "The scheduler waits", nil)+
		written("limit", "Rate limiting", nil)+written("deploy", "A deployment", nil)+written("accommodate", "Accommodation", nil)+
		written("print", "It prints", nil)+written("authorize", "Authorized guests", nil)+written("calendar", "The calendar feed", nil))
	d := s.open(Options{})
	s.sync(d)
	return d
}

func TestTypos(t *testing.T) {
	d := spelt(t)
	for query, want := range map[string]string{
		"invocie":       "invoice invoice", // two neighbours swapped
		"ivnoice":       "invoice invoice",
		"invocies":      "invoice invoices",
		"shceduler":     "schedule scheduler",
		"deploymnet":    "deploy deployment", // in the ending
		"limitting":     "limit limitting",   // the stem is right
		"calender":      "calendar calendar", // a vowel for another
		"calebdar":      "calendar calendar", // the neighbouring key
		"calndar":       "calendar calendar",
		"calenddaxr":    "", // an odd letter and a double one
		"acomodation":   "accommodate accommodation",
		"accomodatoin":  "accommodate accommodation",
		"authorised":    "authorize authorized",
		"printer":       "",                // a word in memory, though one letter from the stem
		"calenpar":      "",                // not a neighbouring key
		"xnvoice":       "",                // the first letter
		"invo1ce":       "",                // no plain word
		"invocieNumber": "invoice invoice", // a part of an identifier
		"claendar":      "calendar calendar",
		"tahnsk":        "",
	} {
		got := ""
		for _, h := range search1(t, d, retrieval.Query{Text: query, Limit: 1}) {
			got = h.EntryID + " " + strings.Join(h.Explain.Terms, " ")
		}
		if got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
}

// TestTypoOfAnotherTerm checks that a term counts once if the query has it
// twice, once misspelt.
func TestTypoOfAnotherTerm(t *testing.T) {
	d := spelt(t)
	hits := search1(t, d, retrieval.Query{Text: "invoice invocie"})
	if len(hits) != 1 || hits[0].Explain.Mass != 1 || !slices.Equal(hits[0].Explain.Terms, []string{"invoice"}) {
		t.Errorf("%+v", hits)
	}
}

// TestFewTypos checks that a query with many unknown words gets no more than
// three of them corrected.
func TestFewTypos(t *testing.T) {
	d := spelt(t)
	if hits := search1(t, d, retrieval.Query{Text: "zebrax giraffex okapixx invocie"}); len(hits) != 0 {
		t.Errorf("the fourth unknown word is looked for: %+v", hits)
	}
}

// TestTypoOfAJudgedTask checks that a judgement for a task with a typing error
// counts for the same task.
func TestTypoOfAJudgedTask(t *testing.T) {
	s := newStore(t)
	s.put("2026-11-21.md", written("one", "The invoice numbers", nil))
	s.put("feedback.md", markdown.FormatJudgement(memory.Judgement{ID: "j", Time: day, Task: "invocie numebrs", Entry: "one", Run: "r"}))
	d := s.open(Options{})
	s.sync(d)
	if hits := search1(t, d, retrieval.Query{Text: "invocie numebrs"}); len(hits) != 1 || hits[0].Explain.Judgement != 0.5 {
		t.Errorf("%+v", hits)
	}
}

// FuzzTypo mistypes words that occur in texts and checks that the corrections,
// if any, occur in texts too.
func FuzzTypo(f *testing.F) {
	d := spelt(f)
	f.Add("invocie")
	f.Add("deploymnet")
	f.Add("printer authorised")
	f.Fuzz(func(t *testing.T, typed string) {
		looked(t, d, func(s *searcher) {
			all := rank.Terms(typed)
			lookUp(s.view, all)
			terms := s.correct(slices.Clone(all))
			if s.view.Err() != nil || len(terms) > len(all) {
				t.Fatalf("%q: %d terms of %d: %v", typed, len(terms), len(all), s.view.Err())
			}
			for _, k := range terms {
				text := s.spelling([]string{k.Text})
				if s.view.Err() != nil || !slices.ContainsFunc(all, func(t rank.Term) bool { return t.Hash == k.Hash }) && (text != k.Text || k.DF == 0 || k.Hash != stems.Hash(words.Stem(k.Text))) {
					t.Fatalf("%q: %+v stands in no text: %v", typed, k, s.view.Err())
				}
			}
		})
	})
}

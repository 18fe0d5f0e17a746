package index

import (
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/index/dateparse"
	"agentflow/index/rank"
	"agentflow/memory"
	"agentflow/memory/retrieval"
)

// diary returns an index with an entry of today, two of yesterday and one of
// June.
func diary(t testing.TB) *DB {
	s := newStore(t)
	s.put("2026-11-21.md", written("today", "The flaky login", nil)+
		written("yesterday", "The flaky login", func(e *memory.Entry) {
			e.Time, e.Facts = day.AddDate(0, 0, -1), []memory.Fact{{Importance: 1, Text: "Mind the clock."}}
		})+
		written("before", "The signing keys", func(e *memory.Entry) { e.Time = day.AddDate(0, 0, -1).Add(-6 * time.Hour) })+
		written("june", "The flaky login of marinas changes", func(e *memory.Entry) { e.Time = day.AddDate(0, -5, 0) }))
	s.put("MEMORY.md", "# Facts\n\nThe flaky login is known.\n")
	d := s.open(Options{})
	s.sync(d)
	return d
}

func TestDated(t *testing.T) {
	d := diary(t)
	for query, want := range map[string]string{
		"what was done yesterday?":            "yesterday before",
		"on 20 November":                      "yesterday before",
		"what did we do in june":              "june",
		"what happened last year in june?":    "june",
		"what was done on 3 may":              "",
		"changes of yesterday":                "yesterday before",
		"changes of the clock of yesterday":   "yesterday before",
		"xylophones of yesterday":             "yesterday before",
		"2026-06-21":                          "june",
		"what was done on 19 November":        "",
		"keys rotated 2026-11-20 or 3 June":   "before",
		"which of the logins were done today": "today",
	} {
		var got []string
		for _, h := range search1(t, d, retrieval.Query{Text: query, Gate: true}) {
			if len(h.Explain.Named) > 0 {
				got = append(got, h.EntryID)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q finds %v, want %s", query, got, want)
		}
	}
}

// TestIsOf checks the boundaries of a day.
func TestIsOf(t *testing.T) {
	p, _, _ := dateparse.In("today", day)
	is := func(at int64) bool { return isOf(p, &rank.Candidate{Entry: "run", Date: &at}) }
	if !is(p.From.Unix()) || !is(p.To.Unix()-1) || is(p.To.Unix()) || isOf(p, &rank.Candidate{}) {
		t.Error("the borders of a day")
	}
}

// TestDatedWithVectors checks that hits near in meaning do not displace the
// entries of the day that the query names.
func TestDatedWithVectors(t *testing.T) {
	s := newStore(t)
	s.put("2026-11-21.md", written("old", "The xylophone", func(e *memory.Entry) { e.Time = day.AddDate(0, -2, 0) })+
		written("new", "The signing keys", func(e *memory.Entry) { e.Time = day.AddDate(0, 0, -1) }))
	d := s.open(Options{Embedder: local(t)})
	s.sync(d)
	if got := headings(t, d, retrieval.Query{Text: "xylophonists of yesterday", Limit: 1}); got != "The signing keys" {
		t.Errorf("found %q", got)
	}
}

// TestDatedFirst checks that entries of the day come first and that other
// entries can still follow.
func TestDatedFirst(t *testing.T) {
	d := diary(t)
	hits := search1(t, d, retrieval.Query{Text: "flaky login on 21 june", Gate: true})
	if len(hits) != 5 || hits[0].EntryID != "june" || !slices.Equal(hits[0].Explain.Named, []string{"on 21 june"}) || hits[0].Explain.Decay != 1 {
		t.Errorf("%d hits, first %+v", len(hits), hits[0])
	}
	plain := search1(t, d, retrieval.Query{Text: "flaky login", Gate: true})
	if len(plain) != 5 || plain[0].EntryID == "june" || len(plain[0].Explain.Named) != 0 {
		t.Errorf("without a date: %+v", plain)
	}
}

// TestDatedFilter checks that a filter also applies to hits that only their
// date finds.
func TestDatedFilter(t *testing.T) {
	d := diary(t)
	q := retrieval.Query{Text: "what was done yesterday", Filter: retrieval.Filter{Since: day.AddDate(0, 0, -1)}}
	if hits := search1(t, d, q); len(hits) != 1 || hits[0].EntryID != "yesterday" {
		t.Errorf("%+v", hits)
	}
	q = retrieval.Query{Text: "what was done this month", Limit: 2}
	if hits := search1(t, d, q); len(hits) != 2 || hits[0].EntryID != "today" || hits[1].EntryID != "yesterday" || hits[1].RankScore > hits[0].RankScore {
		t.Errorf("%+v", hits)
	}
}

// TestDatedAmongMany checks that the entries of the day are found although
// hundreds of others match better.
func TestDatedAmongMany(t *testing.T) {
	s := filled(t)
	s.put("2026-07-21.md", entry("july", day.AddDate(0, -4, 0), "An old change", "Touched and touched."))
	d := s.open(Options{})
	s.sync(d)
	if got := headings(t, d, retrieval.Query{Text: "touched on 21 July", Limit: 1}); got != "An old change" {
		t.Errorf("found %q", got)
	}
}

// TestHandWrittenDays checks that text under a date heading, or in a file named
// by a day, belongs to that day in every time zone of the query.
func TestHandWrittenDays(t *testing.T) {
	s := newStore(t)
	s.put("2026-11-20.md", written("run", "The signing keys", func(e *memory.Entry) { e.Time = day.AddDate(0, 0, -1) }))
	s.put("notes.md", "# Notes\n\nTimeless.\n\n# 2026-11-20\n\nMet the auditors.\n\n## 2026-11-19\n\nCalled the bank.\n")
	s.put("2026-11-20-standup.md", "The build is red.\n")
	s.put("session-2026-11-20.md", "Drew the plan.\n")
	s.put("20261120.md", "Bought a lamp.\n\n## Notes of the 19th of November 2026\n\nSold it.\n")
	s.put("daily/2026-11-20.md", "Planned the release.\n")
	s.put("2026-11-21.md", "- Signed the papers.\n")
	d := s.open(Options{})
	s.sync(d)
	for _, zone := range []*time.Location{time.UTC, time.FixedZone("", -9*3600), time.FixedZone("", 11*3600)} {
		now := time.Date(2026, 11, 21, 13, 0, 0, 0, zone)
		for _, query := range []string{"What did we do yesterday?", "yesterday", "2026-11-20"} {
			for _, gate := range []bool{true, false} {
				var got []string
				for _, h := range search1(t, d, retrieval.Query{Text: query, Gate: gate, Now: now, Limit: 10}) {
					if h.Kind == "" {
						got = append(got, strings.TrimSpace(h.Text[strings.LastIndex(h.Text, "\n\n")+1:]))
					}
				}
				slices.Sort(got)
				if want := "Bought a lamp.|Drew the plan.|Met the auditors.|Planned the release.|The build is red."; strings.Join(got, "|") != want {
					t.Errorf("%v, %q, gate %v: %q, want %q", zone, query, gate, got, want)
				}
			}
		}
		since := time.Date(2026, 11, 20, 0, 0, 0, 0, zone)
		q := retrieval.Query{Text: "auditors", Now: now, Filter: retrieval.Filter{Since: since, Until: since.AddDate(0, 0, 1)}}
		if hits := search1(t, d, q); len(hits) != 1 {
			t.Errorf("%v: a filter by that day finds %d", zone, len(hits))
		}
	}
}

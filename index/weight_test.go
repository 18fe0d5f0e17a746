package index

import (
	"math"
	"strings"
	"testing"
	"time"

	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/retrieval"
)

// order searches a store of the given entries and returns their ids, best
// first.
func order(t *testing.T, q retrieval.Query, entries ...string) (ids string, hits []retrieval.Hit) {
	t.Helper()
	s := newStore(t)
	s.put("2026-11-21.md", strings.Join(entries, ""))
	d := s.open(Options{})
	s.sync(d)
	hits = search1(t, d, q)
	for _, h := range hits {
		ids += h.EntryID + " "
	}
	return strings.TrimSpace(ids), hits
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// TestAgeOrders gives an old entry the better match. At one half-life it loses
// as much as the default weight says, and no more.
func TestAgeOrders(t *testing.T) {
	older := func(e *memory.Entry) { e.Time = day.Add(-90 * 24 * time.Hour) }
	ids, hits := order(t, retrieval.Query{Text: "flaky login"},
		written("old", "The flaky login", older), written("new", "The flaky login here", nil))
	if ids != "new old" {
		t.Errorf("order %s", ids)
	}
	for _, h := range hits {
		want := map[string]float64{"old": 0.75, "new": 1}[h.EntryID]
		if !near(h.Explain.Decay, want) || !near(h.RankScore, h.Explain.Keyword*want+h.Explain.Files) {
			t.Errorf("%s: decay %v, score %v, want decay %v: %+v", h.EntryID, h.Explain.Decay, h.RankScore, want, h.Explain)
		}
	}
}

// TestPinnedDoesNotAge checks that a pinned entry keeps its weight, although it
// has a date.
func TestPinnedDoesNotAge(t *testing.T) {
	pin := func(e *memory.Entry) {
		e.Time = day.AddDate(-1, 0, 0)
		e.Facts = []memory.Fact{{Tags: []string{"pinned"}, Text: "Flaky login."}}
	}
	if _, hits := order(t, retrieval.Query{Text: "flaky login"}, written("pinned", "The flaky login", pin)); len(hits) != 1 || hits[0].Explain.Decay != 1 {
		t.Errorf("%+v", hits)
	}
}

// TestGoneWeighsLess checks that of two equal entries, the one with commits no
// longer in HEAD's history comes last, is marked, and keeps 0.7 of its score.
// One commit still in the history is enough to avoid this.
func TestGoneWeighsLess(t *testing.T) {
	with := func(ids ...string) func(*memory.Entry) {
		return func(e *memory.Entry) {
			for _, id := range ids {
				e.Commits = append(e.Commits, changeset.Commit{ID: strings.Repeat(id, 40), Subject: "Fix"})
			}
		}
	}
	q := retrieval.Query{Text: "flaky login", Stands: func(c string) bool { return c == strings.Repeat("a", 40) }}
	entries := []string{written("gone", "The flaky login", with("b", "c")), written("kept", "The flaky login", with("a", "b")),
		written("none", "The flaky login", nil)}
	ids, hits := order(t, q, entries...)
	if !strings.HasSuffix(ids, " gone") || len(hits) != 3 {
		t.Fatalf("order %s", ids)
	}
	for _, h := range hits {
		weight := 1.0
		if h.EntryID == "gone" {
			weight = 0.7
		}
		if h.Gone != (h.EntryID == "gone") || !near(h.RankScore, h.Explain.Keyword*h.Explain.Decay*weight+h.Explain.Files) {
			t.Errorf("%s: gone %v, score %v: %+v", h.EntryID, h.Gone, h.RankScore, h.Explain)
		}
	}
	q.Stands = nil
	_, hits = order(t, q, entries...)
	for _, h := range hits {
		if h.Gone {
			t.Errorf("%s is marked without knowing", h.EntryID)
		}
	}
}

// TestImportanceOrdersEquals and does not beat a much better match.
func TestImportanceOrdersEquals(t *testing.T) {
	important := fact(memory.Fact{Importance: 1, Text: "Mind the clock."})
	plain := fact(memory.Fact{Text: "Mind the clock."})
	ids, hits := order(t, retrieval.Query{Text: "flaky login"}, written("plain", "The flaky login", plain), written("important", "The flaky login", important))
	if ids != "important plain" || !near(hits[0].Explain.Importance, 1.2) {
		t.Errorf("order %s: %+v", ids, hits)
	}
	ids, _ = order(t, retrieval.Query{Text: "flaky login"}, written("better", "The flaky login", plain), written("important", "The login", important))
	if ids != "better important" {
		t.Errorf("order %s", ids)
	}
}

// TestFilesCountMore than the same word in a title.
func TestFilesCountMore(t *testing.T) {
	ids, _ := order(t, retrieval.Query{Text: "session"}, written("title", "The session", nil), written("file", "The clock", changed("session")))
	if ids != "file title" {
		t.Errorf("order %s", ids)
	}
}

// TestNamedPasses lets a hit through the gate that holds little of the query
// but the path or identifier it names.
func TestNamedPasses(t *testing.T) {
	for query, want := range map[string]string{
		"translate the whole enormous handbook into proper Finnish before Monday, see auth/session.go for numbers of chapters and lines": "named",
		"translate the whole enormous handbook into proper Finnish before Monday, see sessionClock for numbers of chapters and lines":    "named",
		"translate the whole enormous handbook into proper Finnish before Monday, the session for numbers of chapters and lines":         "",
	} {
		ids, hits := order(t, retrieval.Query{Text: query, Gate: true},
			written("named", "Fix", func(e *memory.Entry) { changed("auth/session.go")(e); e.Summary = "sessionClock was real." }))
		if ids != want {
			t.Errorf("%q finds %q, want %q: %+v", query, ids, want, hits)
		}
		if len(hits) > 0 && (hits[0].Explain.Mass >= DefaultRanking().Gate*2 || len(hits[0].Explain.Named) == 0) {
			t.Errorf("mass %v, named %v", hits[0].Explain.Mass, hits[0].Explain.Named)
		}
	}
}

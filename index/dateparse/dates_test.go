package dateparse

import (
	"strings"
	"testing"
	"time"
)

// saturday is the time of the queries in the tests.
var saturday = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

func TestIn(t *testing.T) {
	for _, c := range []struct{ query, from, to, rest string }{
		{"what was done on 13 november?", "2026-11-13", "2026-11-14", "what was done  ?"},
		{"13 November 2025", "2025-11-13", "2025-11-14", " "},
		{"the release of November 13th, 2025 broke", "2025-11-13", "2025-11-14", "the release   broke"},
		{"on the 3rd of June", "2026-06-03", "2026-06-04", " "},
		{"am 3. Juni", "2026-06-03", "2026-06-04", " "},
		{"3 Dec, billing", "2025-12-03", "2025-12-04", " , billing"},
		{"21 november", "2026-11-21", "2026-11-22", " "},
		{"22 november", "2025-11-22", "2025-11-23", " "},
		{"29 february", "2024-02-29", "2024-03-01", " "},
		{"the outage of 2026-06-03.", "2026-06-03", "2026-06-04", "the outage  ."},
		{"on 2026-06-03: what", "2026-06-03", "2026-06-04", " : what"},
		{"login in april 2025", "2025-04-01", "2025-05-01", "login  "},
		{"login in april", "2026-04-01", "2026-05-01", "login  "},
		{"in November", "2026-11-01", "2026-12-01", " "},
		{"in december", "2025-12-01", "2026-01-01", " "},
		{"in May", "2026-05-01", "2026-06-01", " "},
		{"im märz", "2026-03-01", "2026-04-01", " "},
		{"Apr 2026", "2026-04-01", "2026-05-01", " "},
		{"yesterday's deploy", "2026-11-20", "2026-11-21", "  deploy"},
		{"TODAY", "2026-11-21", "2026-11-22", " "},
		{"heute", "2026-11-21", "2026-11-22", " "},
		{"vorgestern", "2026-11-19", "2026-11-20", " "},
		{"am 3.6.2026", "2026-06-03", "2026-06-04", " "},
		{"3. Okt 2025", "2025-10-03", "2025-10-04", " "},
		{"was war letzte Woche?", "2026-11-09", "2026-11-22", "was war  ?"},
		{"in der vergangenen Woche", "2026-11-09", "2026-11-22", " "},
		{"diese Woche", "2026-11-16", "2026-11-23", " "},
		{"letzten Monat", "2026-10-01", "2026-11-01", " "},
		{"in diesem Monat", "2026-11-01", "2026-12-01", " "},
		{"in den letzten drei Tagen", "2026-11-18", "2026-11-22", " "},
		{"die vergangenen fünf Wochen", "2026-10-17", "2026-11-22", "die  "},
		{"vor einem Tag", "2026-11-20", "2026-11-21", " "},
		{"vor zwei Wochen", "2026-11-02", "2026-11-09", " "},
		{"vor 11 Monaten", "2025-12-01", "2026-01-01", " "},
		{"am letzten Dienstag", "2026-11-17", "2026-11-18", " "},
		{"the scheduler last week?", "2026-11-09", "2026-11-22", "the scheduler  ?"},
		{"billing changes of this week", "2026-11-16", "2026-11-23", "billing changes  "},
		{"last month's work", "2026-10-01", "2026-11-01", "  work"},
		{"this month", "2026-11-01", "2026-12-01", " "},
		{"in the last 3 days", "2026-11-18", "2026-11-22", " "},
		{"past two months", "2026-09-21", "2026-11-22", " "},
		{"two weeks ago", "2026-11-02", "2026-11-09", " "},
		{"a day ago", "2026-11-20", "2026-11-21", " "},
		{"11 months ago", "2025-12-01", "2026-01-01", " "},
		{"last Tuesday", "2026-11-17", "2026-11-18", " "},
		{"on last saturday", "2026-11-14", "2026-11-15", " "},
		{"yesterday or on 3 June", "2026-11-20", "2026-11-21", "  or on 3 June"},
		{"31 June, rather 30 June", "2026-06-30", "2026-07-01", "31 June, rather  "},
	} {
		p, rest, ok := In(c.query, saturday)
		if !ok {
			t.Errorf("%q is no date", c.query)
			continue
		}
		if from, to := p.From.Format(time.DateOnly), p.To.Format(time.DateOnly); from != c.from || to != c.to || rest != c.rest {
			t.Errorf("%q: %s to %s beside %q, want %s to %s beside %q", c.query, from, to, rest, c.from, c.to, c.rest)
		}
	}
}

func TestNoPeriod(t *testing.T) {
	for _, query := range []string{
		"", "13", "2026", "in 2026", "version 2.13.4", "we may fix 3 of them", "3 may fail", "in may", "31 june", "2026-13-01", "2026-02-30",
		"memory/2026-06-03.md", "2026-06-03-incident.md", "2026-06-03.md", "v1.3 June", "the march of time", "april", "undo your last edit",
		"last days", "last 0 days", "0 weeks ago", "0 june", "a week", "last weekly report", "weeks ago", "marching", "mai2026", "my_today", "today.go",
		"today/x", "2026-06-03T10:00:00Z", "12026-06-03", "lastweek", "a last", "für3 juni",
	} {
		if p, rest, ok := In(query, saturday); ok || rest != query {
			t.Errorf("%q is %v to %v beside %q", query, p.From, p.To, rest)
		}
	}
	if _, _, ok := In("yesterday", time.Time{}); ok {
		t.Error("a date is known without knowing the time")
	}
}

// TestWhere checks that days begin in the time zone of the query.
func TestWhere(t *testing.T) {
	zone := time.FixedZone("", 9*3600)
	p, _, _ := In("today", time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC).In(zone))
	if want := time.Date(2026, 11, 22, 0, 0, 0, 0, zone); !p.From.Equal(want) || !p.To.Equal(want.AddDate(0, 0, 1)) {
		t.Errorf("%v to %v", p.From, p.To)
	}
}

func FuzzIn(f *testing.F) {
	for _, s := range []string{"on 13 november", "2026-06-03", "in April 2026", "last 3 days", "two weeks ago", "last Tuesday", "May 5", "märz", "29 feb 1900"} {
		f.Add(s, int64(1795251600))
	}
	f.Fuzz(func(t *testing.T, query string, unix int64) {
		now := time.Unix(unix%(1<<34), 0).UTC()
		p, rest, ok := In(query, now)
		if !ok {
			if rest != query {
				t.Fatalf("%q became %q", query, rest)
			}
			return
		}
		before, after, found := strings.Cut(query, p.Words)
		if !found || p.Words == "" || !p.From.Before(p.To) || p.To.Sub(p.From) > (farthestAgo+1)*31*24*time.Hour {
			t.Fatalf("%q: %v to %v is %q", query, p.From, p.To, p.Words)
		}
		if _, _, again := In(before, now); again && len(rest) != len(before)+1+len(after) {
			t.Fatalf("%q: the first date was passed over", query)
		}
		if len(rest) != len(query)-len(p.Words)+1 {
			t.Fatalf("%q: %q is left of it", query, rest)
		}
	})
}

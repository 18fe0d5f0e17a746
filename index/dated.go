package index

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"agentflow/index/when"
	"agentflow/internal/words"
)

// ofDoing are words that say nothing beside a date: "what changed last week?"
var ofDoing = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq("happen happened happening change changed changes work worked working new news summary everything anything something things") {
		m[w] = true
	}
	return m
}()

// within takes the date that a text names out of it, and returns the terms of
// the rest: none when nothing else is asked for.
func (s *searcher) within(text string) []term {
	p, rest, ok := when.In(text, s.q.Now)
	if !ok {
		return termsOf(text)
	}
	s.period = &p
	terms := termsOf(rest)
	if !slices.ContainsFunc(terms, func(t term) bool { return t.named || !words.IsStopword(t.text) && !ofDoing[t.text] }) {
		return nil
	}
	return terms
}

// hold says what a candidate holds of the query: the date is as good as a name.
func (s *searcher) hold(k *candidate) {
	k.held = s.plan.held(k.terms)
	if k.dated = s.period != nil && isOf(*s.period, k); k.dated {
		k.named = append(k.named, s.period.Words)
	}
}

// find gathers candidates that count where the query asks. When no word of the query leads to any, they are
// the entries of the period it names, if there are any.
func (s *searcher) find(ctx context.Context, c *sql.Conn) (found []*candidate, byDate bool, err error) {
	if err := s.settle(ctx, c); err != nil {
		return nil, false, err
	}
	if s.period != nil && s.plan.match == "" {
		if found, err = s.ofPeriod(ctx, c); err != nil || len(found) > 0 {
			return found, true, err
		}
	}
	found, err = s.gather(ctx, c)
	return found, false, err
}

// ofPeriod returns the newest entries of the query's period that pass the
// filter, and what was written by hand of its days, as if they matched alike.
func (s *searcher) ofPeriod(ctx context.Context, c *sql.Conn) ([]*candidate, error) {
	alike := map[int64]float64{}
	for _, kind := range []struct {
		is   string
		from func(time.Time) time.Time
	}{
		{`c.ordinal=0 AND c.entry<>'' AND c.source=''`, func(t time.Time) time.Time { return t }},
		{`c.entry='' AND c.date IS NOT NULL AND NOT f.included`, asDay},
	} {
		f := s.filter.clone()
		f.add(`c.date >= ?`, ceilUnix(kind.from(s.period.From)))
		f.add(`c.date < ?`, ceilUnix(kind.from(s.period.To)))
		if s.q.Gate {
			f.add(`NOT c.idle`)
		}
		where, args := f.sql()
		ids, err := column[int64](ctx, c, `SELECT c.id FROM chunks c JOIN files f ON f.id=c.file
			WHERE `+kind.is+` AND `+where+` ORDER BY c.date DESC, c.id DESC LIMIT ?`, append(args, max(s.r.Candidates, s.q.Limit))...)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			alike[id] = 1
		}
	}
	return s.scored(ctx, c, alike)
}

// isOf says whether a chunk is of a period; undated text is of none.
func isOf(p when.Period, k *candidate) bool {
	if k.date == nil {
		return false
	}
	at := func(t time.Time) int64 {
		if k.entry != "" {
			return ceilUnix(t)
		}
		return ceilUnix(asDay(t))
	}
	return at(p.From) <= *k.date && *k.date < at(p.To)
}

// asDay is a time as hand-written text has it, which knows days only: what the
// clock shows there, in UTC.
func asDay(t time.Time) time.Time {
	_, east := t.Zone()
	return t.Add(time.Duration(east) * time.Second)
}

// narrowed adds a period to a filter.
func narrowed(f filter, p when.Period) filter {
	f = f.clone()
	f.dated(`>=`, p.From)
	f.dated(`<`, p.To)
	return f
}

// newest are the hits of a query that names nothing but a date.
func (s *searcher) newest(found []*candidate) []*candidate {
	slices.SortStableFunc(found, func(a, b *candidate) int { return cmp.Compare(dateOrOldest(b), dateOrOldest(a)) })
	for _, k := range found {
		k.score = k.relevance
	}
	falling(found)
	return found[:min(len(found), s.q.Limit)]
}

package index

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"agentflow/memory"
)

// relevance says how well each candidate answers the query by itself, and
// sorts them, best first. Keywords and vectors are each taken as shares of
// their best and added up by weight; a text that has no vector yet goes by its
// words alone.
func (s *searcher) relevance(found []*candidate) {
	best, nearest := 0.0, 0.0
	for _, k := range found {
		best = max(best, k.bm25)
		nearest = max(nearest, k.cosine)
	}
	lend(found)
	gone := goneBy(s.q.Stands)
	for _, k := range found {
		k.keyword, k.vector = share(k.bm25, best), share(k.cosine, nearest)
		match := k.keyword
		if k.embedded {
			match += s.weight * (k.vector - k.keyword)
		}
		k.decay = decay(k, s.q.Now, s.r)
		k.weight = 1 + s.r.ImportanceSpan*k.importance
		k.relevance = match * k.decay * k.weight * k.judged
		if k.pinned {
			k.relevance *= s.r.PinnedWeight
		}
		if k.dated {
			k.relevance *= s.r.DatedWeight
		}
		if k.gone = gone(k.commits); k.gone || k.undone {
			k.relevance *= s.r.GoneWeight
		}
		if k.included {
			k.relevance *= s.r.IncludeWeight
		}
	}
	slices.SortFunc(found, func(a, b *candidate) int {
		return cmp.Or(
			cmp.Compare(b.relevance, a.relevance),
			cmp.Compare(dateOrOldest(b), dateOrOldest(a)),
			strings.Compare(a.path, b.path),
			cmp.Compare(a.start, b.start),
		)
	})
}

// lend gives entries the importance of the facts that were moved out of them:
// they are as important as before.
func lend(found []*candidate) {
	moved := map[string]float64{}
	for _, k := range found {
		if k.source != "" {
			moved[k.source] = max(moved[k.source], k.importance)
		}
	}
	for _, k := range found {
		if k.source == "" {
			k.importance = max(k.importance, moved[k.entry])
		}
	}
}

// share is part of whole, 0 to 1.
func share(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return max(part/whole, 0)
}

// dateOrOldest sorts undated text as the oldest.
func dateOrOldest(k *candidate) int64 {
	if k.date == nil {
		return math.MinInt64
	}
	return *k.date
}

// decay is 1 for what does not age: undated or pinned text, and what is of
// the time that the query names. What is of today or yesterday, where now is,
// is a little more.
func decay(k *candidate, now time.Time, r Ranking) float64 {
	if k.date == nil || k.pinned || k.dated || r.HalfLife <= 0 || now.IsZero() {
		return 1
	}
	if year, month, today := now.Date(); *k.date >= time.Date(year, month, today-1, 0, 0, 0, 0, now.Location()).Unix() {
		return r.RecentWeight
	}
	age := now.Sub(time.Unix(*k.date, 0))
	return r.Floor + (1-r.Floor)*math.Pow(0.5, float64(age)/float64(r.HalfLife))
}

// goneBy says of a packed list of commits whether all of them are gone; each
// commit is asked for once.
func goneBy(stands func(string) bool) func([]byte) bool {
	known := map[string]bool{}
	return func(commits []byte) bool {
		list := unlist0(commits)
		if stands == nil || len(list) == 0 {
			return false
		}
		return !slices.ContainsFunc(list, func(c string) bool {
			ok, asked := known[c]
			if !asked {
				ok = stands(c)
				known[c] = ok
			}
			return ok
		})
	}
}

// room counts what the candidates can fill hits with, included files only as
// far as they may.
func (s *searcher) room(found []*candidate) int {
	n, included := 0, s.r.includedRoom(s.q)
	for _, k := range things(found) {
		if k.included {
			if included == 0 {
				continue
			}
			included--
		}
		n++
	}
	return n
}

// includedRoom is how many hits may come from included files.
func (r Ranking) includedRoom(q memory.Query) int {
	if !q.Gate {
		return q.Limit
	}
	return int(math.Ceil(r.IncludeShare * float64(q.Limit)))
}

package rank

import (
	"math"
	"slices"
	"time"

	"agentflow/memory/retrieval"
)

// Search is the parameters by which one search orders its candidates.
type Search struct {
	Ranking
	Query       retrieval.Query
	Plan        Plan
	VectorShare float64   // weight of vectors against keywords, 0 to 1
	Known       Knowledge // about the query's subject: see Know
}

// Weigh computes the relevance of each candidate by itself, and sorts them, best
// first. Keywords and vectors are each taken as shares of their best and added
// by weight. A text without a vector counts by its words only.
func (s *Search) Weigh(found []*Candidate) {
	best, nearest := 0.0, 0.0
	for _, k := range found {
		best = max(best, k.BM25)
		nearest = max(nearest, k.Cosine)
	}
	lendImportance(found)
	gone := allGone(s.Query.Stands)
	for _, k := range found {
		k.Keyword, k.Vector = share(k.BM25, best), share(k.Cosine, nearest)
		match := k.Keyword
		if k.Embedded {
			match += s.VectorShare * (k.Vector - k.Keyword)
		}
		k.Decay = s.decay(k, s.Query.Now)
		k.Weight = 1 + s.ImportanceSpan*k.Importance
		k.Relevance = match * k.Decay * k.Weight * k.Judged
		if k.Pinned {
			k.Relevance *= s.PinnedWeight
		}
		if k.Dated {
			k.Relevance *= s.DatedWeight
		}
		if k.Gone = gone(k.Commits); k.Gone || k.Undone {
			k.Relevance *= s.GoneWeight
		}
		if k.Included {
			k.Relevance *= s.IncludeWeight
		}
		if k.Author != "" && !k.Trusted {
			k.Relevance *= s.SharedWeight
		}
	}
	sortByRelevance(found)
}

// lendImportance gives entries the importance of the facts that were moved out
// of them, so that they are as important as before.
func lendImportance(found []*Candidate) {
	moved := map[string]float64{}
	for _, k := range found {
		if k.Source != "" {
			moved[k.Source] = max(moved[k.Source], k.Importance)
		}
	}
	for _, k := range found {
		if k.Source == "" {
			k.Importance = max(k.Importance, moved[k.Entry])
		}
	}
}

// share returns the share of part in whole, 0 to 1.
func share(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return max(part/whole, 0)
}

// decay returns 1 for text that does not age: undated or pinned text, and text of
// the time that the query names.
func (r Ranking) decay(k *Candidate, now time.Time) float64 {
	if k.Date == nil || k.Pinned || k.Dated || r.HalfLife <= 0 || now.IsZero() {
		return 1
	}
	age := max(now.Sub(time.Unix(*k.Date, 0)), 0)
	return r.Floor + (1-r.Floor)*math.Pow(0.5, float64(age)/float64(r.HalfLife))
}

// allGone returns a function that reports whether all of some commits are gone. It
// looks up each commit once.
func allGone(stands func(string) bool) func([]string) bool {
	known := map[string]bool{}
	return func(commits []string) bool {
		if stands == nil || len(commits) == 0 {
			return false
		}
		return !slices.ContainsFunc(commits, func(c string) bool {
			ok, seen := known[c]
			if !seen {
				ok = stands(c)
				known[c] = ok
			}
			return ok
		})
	}
}

// Room counts how many hits the candidates can fill, with the limits on included files and
// tool texts applied.
func (s *Search) Room(found []*Candidate) int {
	n, room := 0, s.room()
	for _, k := range s.Distinct(found) {
		if room.takes(k) {
			n++
		}
	}
	return n
}

// room is how many more hits may come from included files, and from texts that agents
// stored through tools.
type room struct{ included, byTool int }

func (s *Search) room() room {
	if !s.Query.Gate {
		return room{s.Query.Limit, s.Query.Limit}
	}
	part := func(share float64) int { return int(math.Ceil(share * float64(s.Query.Limit))) }
	return room{part(s.IncludeShare), part(s.ToolShare)}
}

// has reports whether there is room for a candidate.
func (r room) has(k *Candidate) bool {
	return (!k.Included || r.included > 0) && (!k.ByTool || r.byTool > 0)
}

// takes is has, and also takes the room.
func (r *room) takes(k *Candidate) bool {
	if !r.has(k) {
		return false
	}
	if k.Included {
		r.included--
	}
	if k.ByTool {
		r.byTool--
	}
	return true
}

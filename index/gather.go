package index

import (
	"maps"
	"slices"
	"strings"

	"agentflow/index/rank"
	"agentflow/internal/words"
)

// gather returns candidates that pass the filter: the best by keywords and the
// nearest by meaning.
func (s *searcher) gather() []*rank.Candidate {
	w := window{scored: s.Search.Scored, best: max(s.Search.Candidates, 2*s.Search.Query.Limit)}
	found := s.byKeyword(s.filter, w)
	full := len(found) == w.best
	if s.period != nil && s.asksWords() { // also the best of the period that the query names
		maps.Copy(found, s.byKeyword(narrowed(s.filter, *s.period), window{scored: s.Search.Scored, best: 2 * s.Search.Query.Limit}))
	}
	near := s.nearestChunks()
	if len(found) == 0 {
		near = s.lookAlike(near)
	}
	all := s.join(found, near)
	// A filter, or one long entry with many chunks, may have left too few
	// results. Then score all chunks.
	if (full || !s.filter.None()) && s.Search.Room(all) < s.Search.Query.Limit {
		all = s.join(s.byKeyword(s.filter, window{-1, -1}), near)
	}
	return all
}

// join loads the chunks found by keywords, and adds those of near that keywords
// did not find.
func (s *searcher) join(found map[int64]float64, near []*rank.Candidate) []*rank.Candidate {
	all := slices.DeleteFunc(s.scored(found), func(k *rank.Candidate) bool {
		none := !k.Dated && onlyNumbers(k.Terms)
		if none {
			delete(found, k.ID)
		}
		return none
	})
	for _, k := range near {
		if _, known := found[k.ID]; !known {
			s.hold(k)
			all = append(all, k)
		}
	}
	return all
}

// onlyNumbers reports whether all words that a chunk shares with the query are short numbers, such
// as the 2 of "libfoo.so.2".
func onlyNumbers(terms []string) bool {
	return len(terms) > 0 && !slices.ContainsFunc(terms, func(t string) bool { return !words.IsShortNumber(t) })
}

// scored loads the chunks found by keywords, with their scores.
func (s *searcher) scored(found map[int64]float64) []*rank.Candidate {
	list := s.view.Load(slices.Collect(maps.Keys(found)), s.vector)
	for _, k := range list {
		k.BM25 = found[k.ID]
		s.hold(k)
	}
	return s.withoutIdle(list)
}

// hold records which parts of the query a candidate matches. A matching date
// counts like a name.
func (s *searcher) hold(k *rank.Candidate) {
	k.Trusted = k.Author != "" && isBelow(s.db.o.Trusted, k.Path)
	if k.Author != "" && !isBelow(s.db.o.Naming, k.Path) {
		k.Person = ""
	}
	k.Held = s.Search.Plan.Held(k.Stems)
	if k.Dated = s.period != nil && isOf(*s.period, k); k.Dated {
		k.Named = append(k.Named, s.period.Words)
	}
}

// isBelow reports whether a path has one of the prefixes.
func isBelow(prefixes []string, path string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(path, prefix) })
}

// withoutIdle drops idle runs from candidates for a prompt. A person's search
// keeps them.
func (s *searcher) withoutIdle(list []*rank.Candidate) []*rank.Candidate {
	if !s.Search.Query.Gate {
		return list
	}
	return slices.DeleteFunc(list, func(k *rank.Candidate) bool { return k.Idle })
}

// nearestChunks returns the chunks nearest to the query's vector, with their cosines.
func (s *searcher) nearestChunks() []*rank.Candidate {
	if s.vector == nil {
		return nil
	}
	cosines := map[int64]float64{}
	for _, n := range s.view.Nearest(s.vector, s.Search.Nearest, s.filter) {
		if n.Cosine >= s.Search.NearFloor {
			cosines[n.ID] = n.Cosine
		}
	}
	list := s.view.Load(slices.Collect(maps.Keys(cosines)), nil)
	for _, k := range list {
		k.Cosine, k.Embedded = cosines[k.ID], true
	}
	return s.withoutIdle(list)
}

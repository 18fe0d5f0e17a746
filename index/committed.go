package index

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"agentflow/index/rank"
	"agentflow/index/store"
	"agentflow/memory/retrieval"
)

const (
	hexLong  = 7 // digits from which a word of hexadecimal digits is a commit's id
	hexShort = 4 // the same, next to the word commit
)

var (
	hexWords    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\pL\pN_]+`) })
	commitWords = []string{"commit", "commits", "revision", "sha"}
	joining     = []string{"and", "or", "und", "oder", "to", "id", "hash"}
)

// namedCommits returns the commit ids that a text names, or their beginnings: words of at
// least seven hexadecimal digits, one of them a decimal digit, and of at least four
// next to the word commit.
func namedCommits(text string) (ids []string) {
	list := hexWords().FindAllString(strings.ToLower(text), -1)
	after := false // the word commit came before, followed only by ids and joining words
	for i, w := range list {
		beside := after || i+1 < len(list) && slices.Contains(commitWords, list[i+1])
		switch {
		case slices.Contains(commitWords, w):
			after = true
		case strings.Trim(w, "0123456789abcdef") != "" || len(w) < hexShort || len(w) > 64:
			after = after && slices.Contains(joining, w)
		case (beside || len(w) >= hexLong && strings.ContainsAny(w, "0123456789")) && !slices.Contains(ids, w):
			ids = append(ids, w)
		}
	}
	return ids
}

// withCommits puts the entries of commits that the query names in front of the
// hits found by words.
func (s *searcher) withCommits(found []retrieval.Hit) []retrieval.Hit {
	var named []*rank.Candidate
	for _, id := range namedCommits(rank.Beginning(s.Search.Query.Text, s.Search.QueryRunes)) {
		named = append(named, s.ofCommit(id)...)
	}
	if len(named) == 0 {
		return found
	}
	s.judge(named)
	s.Search.Weigh(named)
	front := s.hits(rank.Newest(s.Search.Distinct(named), s.Search.Query.Limit))
	for i := range front {
		if len(found) > 0 {
			front[i].RankScore = max(front[i].RankScore, found[0].RankScore)
		}
	}
	found = slices.DeleteFunc(found, func(h retrieval.Hit) bool {
		return slices.ContainsFunc(front, func(f retrieval.Hit) bool { return f.Thing() == h.Thing() })
	})
	return append(front, found...)[:min(s.Search.Query.Limit, len(front)+len(found))]
}

// ofCommit returns the entries of commits with ids that begin with id.
func (s *searcher) ofCommit(id string) []*rank.Candidate {
	f := s.filter
	f.Commit = id
	alike := map[int64]float64{}
	always := store.Period{To: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)}
	for _, chunk := range s.view.Entries(always, f, s.Search.Query.Limit) {
		alike[chunk] = 1
	}
	list := s.scored(alike)
	for _, k := range list {
		k.Named = append(k.Named, id)
	}
	return list
}

package rank

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"agentflow/memory/retrieval"
)

// Candidate is a chunk that may become a hit, with all that its score depends
// on.
type Candidate struct {
	ID          int64
	BM25        float64 // higher is better; 0 when no word matches
	Cosine      float64 // of its vector and the query's
	Embedded    bool    // it has a vector
	Path        string
	Author      string // the person who shared it; empty: the user's own
	Person      string // the person who stored it through a team's server
	Trusted     bool   // the user trusts the author
	Entry, Kind string
	Heading     string
	Namespace   string
	Source      string     // for a moved fact: the run with the entry it came from
	Origin      *Candidate // of a moved fact: its entry, where that was found too
	Start, Stop int
	Date, Zone  *int64 // Unix seconds; offset in seconds
	Commits     []string
	Paths       []string
	Stems       []byte // packed
	Importance  float64
	Pinned      bool
	Undone      bool
	Idle        bool // of a run in which nothing happened
	ByTool      bool // agents stored it through tools
	Included    bool
	Likely      bool    // it is about a file that the task will likely touch
	Held                // of the query
	Dated       bool    // of the period that the query names
	Judged      float64 // the part of the relevance that judgements leave
	Keyword     float64 // part of relevance
	Vector      float64 // part of relevance
	Decay       float64
	Weight      float64
	Gone        bool
	Relevance   float64
	Files       float64 // the part of the score from its paths, set when it is picked
	Agrees      float64 // chance of the likeliest file that it names
	TitleHeld   float64 // share of a commit's title that the task holds: see TitleShare
	Chance      float64 // that it is of use: see Useful
	Score       float64
	headings    string // of all found that stand for the same
}

// thing returns the identity of a hit: an entry together with the facts that were moved
// out of it, or, in a prompt, a section of hand-written text. Text without a heading
// is a thing by itself, and so are a fact of a namespace and a line of
// MEMORY.md, where one heading may have a hundred facts.
func (k *Candidate) thing(prompt bool) string {
	switch {
	case k.Source != "":
		return k.Source
	case k.Entry != "" && k.Namespace == "":
		return k.Entry
	case !prompt || k.Heading == "" || k.Namespace != "" || k.Pinned:
		return fmt.Sprintf("%s\x00%d", k.Path, k.Start)
	}
	return k.Path + "\x00" + k.Heading
}

// JudgedAs names a candidate as judgements do.
func (k *Candidate) JudgedAs() string {
	h := retrieval.Hit{EntryID: k.Entry, Source: k.Source, Path: k.Path, Heading: k.Heading, StartLine: k.Start}
	return h.Thing()
}

// Distinct keeps the first candidate for each thing, and adds to it the headings of the
// others. A moved fact also gets its entry as Origin.
func (s *Search) Distinct(found []*Candidate) []*Candidate {
	seen := make(map[string]*Candidate, len(found))
	list := make([]*Candidate, 0, len(found))
	for _, k := range found {
		t := k.thing(s.Query.Gate)
		if first := seen[t]; first != nil {
			first.headings += "\n" + k.Heading
			if first.Source != "" && first.Origin == nil && k.Source == "" {
				first.Origin = k
			}
			continue
		}
		k.headings, k.Origin = k.Heading, nil
		seen[t] = k
		list = append(list, k)
	}
	return list
}

// dateOrOldest sorts undated text as the oldest.
func dateOrOldest(k *Candidate) int64 {
	if k.Date == nil {
		return math.MinInt64
	}
	return *k.Date
}

// sortByRelevance puts the best first, and of equals the newest.
func sortByRelevance(found []*Candidate) {
	slices.SortFunc(found, func(a, b *Candidate) int {
		return cmp.Or(
			cmp.Compare(b.Relevance, a.Relevance),
			cmp.Compare(dateOrOldest(b), dateOrOldest(a)),
			strings.Compare(a.Path, b.Path),
			cmp.Compare(a.Start, b.Start),
		)
	})
}

// Newest returns the hits of a query that names only a date: the n newest, all of
// that date, newest first. Hits of the same time are in the order of their lines.
func Newest(found []*Candidate, n int) []*Candidate {
	slices.SortFunc(found, func(a, b *Candidate) int {
		return cmp.Or(cmp.Compare(dateOrOldest(b), dateOrOldest(a)), strings.Compare(a.Path, b.Path), cmp.Compare(a.Start, b.Start))
	})
	for _, k := range found {
		k.Score, k.Chance = k.Relevance, 1
	}
	return falling(found, n)
}

// falling returns the first n, and keeps scores from rising down the list: an
// entry may be worth more once another's paths are seen.
func falling(found []*Candidate, n int) []*Candidate {
	last := math.Inf(1)
	for _, k := range found {
		k.Score = min(k.Score, last)
		last = k.Score
	}
	return found[:min(n, len(found))]
}

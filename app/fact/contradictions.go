package fact

import (
	"maps"
	"slices"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/lookup"
	"agentflow/internal/consolidate"
	"agentflow/internal/lists"
)

// ContradictionsRequest asks for valid facts of one namespace with the same key, at most one of
// which can be right. Pairs of facts without a common key that are about the same thing follow. A
// fact that others share is left out if it agrees with one in the group.
type ContradictionsRequest struct {
	Offset, Limit int // the page of groups; Limit is at least 1
	Most          int // how many facts to list of a group, newest first; at least 1
}

// ContradictionsResult is one page of groups, sorted by key. Pairs without a common key come last.
type ContradictionsResult struct {
	Groups   []api.Contradiction // never nil
	Total    int                 // on all pages
	Degraded []string            // parts that did not work, one per line; never nil
}

// Contradiction is a group of facts that cannot all be right.
type Contradiction struct {
	Key, Namespace string
	Words          []string // words that the facts without a common key share
	Facts          []*lookup.StoredFact
}

// Object returns the group as a JSON object with at most so many facts, the newest first.
func (c Contradiction) Object(most int) api.Contradiction {
	SortFacts(c.Facts, "created", false)
	shown := c.Facts[:min(most, len(c.Facts))]
	return api.Contradiction{Key: c.Key, Namespace: c.Namespace, Words: c.Words, Facts: lists.Mapped(shown, (*lookup.StoredFact).Object), More: len(c.Facts) - len(shown)}
}

// Clashing lists pairs of valid facts in one namespace that have no common key and are about the
// same thing, but differ.
func Clashing(list []*lookup.StoredFact, now time.Time) (pairs []Contradiction) {
	byNamespace := map[string][]*lookup.StoredFact{}
	for _, k := range list {
		if k.Live(now) && k.File != lookup.Feedback {
			byNamespace[k.Namespace] = append(byNamespace[k.Namespace], k)
		}
	}
	for _, namespace := range slices.Sorted(maps.Keys(byNamespace)) {
		facts := byNamespace[namespace]
		for _, clash := range consolidate.Clashes(lists.Mapped(facts, func(k *lookup.StoredFact) string { return k.Whole() })) {
			a, b := facts[clash.A], facts[clash.B]
			if !clash.Same && !app.SameFact(a.Fact, b.Fact) && (a.Key == "" || b.Key == "") {
				pairs = append(pairs, Contradiction{Namespace: namespace, Words: clash.Words, Facts: []*lookup.StoredFact{a, b}})
			}
		}
	}
	return pairs
}

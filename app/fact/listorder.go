package fact

import (
	"cmp"
	"slices"
	"strings"

	"agentflow/app/lookup"
)

// Order is a sort order of facts: the newest, the most important or the most used first, or by name in alphabetical
// order with the empty name last. Equal facts are sorted by age, newest first.
type Order string

var Orders = map[Order]func(a, b *lookup.StoredFact) int{
	"created":    byCreated,
	"updated":    func(a, b *lookup.StoredFact) int { return b.UpdatedAt().Compare(a.UpdatedAt()) },
	"importance": func(a, b *lookup.StoredFact) int { return cmp.Compare(b.Importance, a.Importance) },
	"uses": func(a, b *lookup.StoredFact) int {
		return cmp.Or(cmp.Compare(b.Used.Count(), a.Used.Count()), b.Used.Last.Compare(a.Used.Last))
	},
	"namespace": func(a, b *lookup.StoredFact) int { return strings.Compare(a.Namespace, b.Namespace) },
	"key": func(a, b *lookup.StoredFact) int {
		if (a.Key == "") != (b.Key == "") {
			return strings.Compare(b.Key, a.Key)
		}
		return strings.Compare(a.Key, b.Key)
	},
}

func byCreated(a, b *lookup.StoredFact) int { return b.CreatedAt().Compare(a.CreatedAt()) }

// CompareFacts returns a total order of facts. No two facts are equal in it, so a page can begin after any fact.
func CompareFacts(by Order, reverse bool) func(a, b *lookup.StoredFact) int {
	return func(a, b *lookup.StoredFact) int {
		c := cmp.Or(Orders[by](a, b), byCreated(a, b), strings.Compare(b.ID, a.ID))
		if c == 0 && a.ID == "" {
			c = cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.StartLine, b.StartLine))
		}
		if reverse {
			return -c
		}
		return c
	}
}

// SortFacts sorts pointers, because facts are large.
func SortFacts(list []*lookup.StoredFact, by Order, reverse bool) {
	slices.SortFunc(list, CompareFacts(by, reverse))
}

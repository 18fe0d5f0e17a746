package app

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"agentflow/api"
	"agentflow/consolidate"
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

// Contradictions lists groups of facts of the repository, and of the user's own memory, that are
// about the same thing.
func Contradictions(ctx context.Context, m *Memory, req ContradictionsRequest) (res ContradictionsResult, err error) {
	o := m.begin(ctx)
	defer o.end(&res.Degraded, &err)
	defer o.orNothing(&err)
	res.Groups = []api.Contradiction{}
	if req.Offset < 0 || req.Limit < 1 || req.Most < 1 {
		return res, usagef("a page of contradictions has an offset of at least 0, and holds at least one fact of one group")
	}
	list, err := chosenFacts(ctx, o, &ListRequest{})
	if err != nil {
		return res, err
	}
	holds := func(k *storedFact) bool { return k.Key != "" && k.Live(time.Now()) }
	if s, err := o.openToRead(ctx); err == nil { // an error is ignored, because the facts were already read
		list = append(list, sharedFacts(ctx, s, holds)...)
	}
	type thing struct{ key, namespace string }
	groups := map[thing][]*storedFact{}
	for _, k := range list {
		about := thing{k.Key, k.Namespace}
		agrees := k.Author != "" && slices.ContainsFunc(groups[about], func(o *storedFact) bool { return sameFact(o.Fact, k.Fact) })
		if k.Key != "" && !agrees {
			groups[about] = append(groups[about], k)
		}
	}
	maps.DeleteFunc(groups, func(_ thing, facts []*storedFact) bool { return len(facts) < 2 })
	clashes := clashing(list, time.Now())
	order := slices.SortedFunc(maps.Keys(groups), func(a, b thing) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.namespace, b.namespace))
	})
	all := mapped(order, func(about thing) contradiction { return contradiction{about.key, about.namespace, nil, groups[about]} })
	all = append(all, clashes...)
	res.Groups, res.Total = []api.Contradiction{}, len(all)
	all = all[min(req.Offset, len(all)):]
	res.Groups = mapped(all[:min(req.Limit, len(all))], func(c contradiction) api.Contradiction { return c.object(req.Most) })
	return res, nil
}

// contradiction is a group of facts that cannot all be right.
type contradiction struct {
	key, namespace string
	words          []string // words that the facts without a common key share
	facts          []*storedFact
}

func (c contradiction) object(most int) api.Contradiction {
	sortFacts(c.facts, "created", false)
	shown := c.facts[:min(most, len(c.facts))]
	return api.Contradiction{Key: c.key, Namespace: c.namespace, Words: c.words, Facts: mapped(shown, (*storedFact).object), More: len(c.facts) - len(shown)}
}

// clashing lists pairs of valid facts in one namespace that have no common key and are about the
// same thing, but differ.
func clashing(list []*storedFact, now time.Time) (pairs []contradiction) {
	byNamespace := map[string][]*storedFact{}
	for _, k := range list {
		if k.Live(now) && k.File != feedback {
			byNamespace[k.Namespace] = append(byNamespace[k.Namespace], k)
		}
	}
	for _, namespace := range slices.Sorted(maps.Keys(byNamespace)) {
		facts := byNamespace[namespace]
		for _, clash := range consolidate.Clashes(mapped(facts, func(k *storedFact) string { return k.Whole() })) {
			a, b := facts[clash.A], facts[clash.B]
			if !clash.Same && !sameFact(a.Fact, b.Fact) && (a.Key == "" || b.Key == "") {
				pairs = append(pairs, contradiction{namespace: namespace, words: clash.Words, facts: []*storedFact{a, b}})
			}
		}
	}
	return pairs
}

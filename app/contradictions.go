package app

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"agentflow/api"
)

// ContradictionsRequest asks for facts that hold, stand in one namespace and
// have the same key: of those at most one can be right. What others share counts where it
// says otherwise.
type ContradictionsRequest struct {
	Offset, Limit int // one page of groups; Limit is at least 1
	Most          int // facts of a group, the newest; at least 1
}

// ContradictionsResult is one page of groups, by the alphabet of their keys.
type ContradictionsResult struct {
	Groups   []api.Contradiction // never nil
	Total    int                 // on all pages
	Degraded []string            // what did not work, a line each; never nil
}

// Contradictions lists groups of facts of the repository, and of the user's
// own memory, that say something of one thing.
func (m *Memory) Contradictions(ctx context.Context, req ContradictionsRequest) (res ContradictionsResult, err error) {
	o := m.begin(ctx)
	defer o.end(&res.Degraded, &err)
	defer o.orNothing(&err)
	res.Groups = []api.Contradiction{}
	if req.Offset < 0 || req.Limit < 1 || req.Most < 1 {
		return res, usagef("a page of contradictions has an offset of at least 0, and holds at least one fact of one group")
	}
	list, err := o.chosenFacts(ctx, &ListRequest{})
	if err != nil {
		return res, err
	}
	holds := func(k *storedFact) bool { return k.Key != "" && k.Live(time.Now()) }
	if s, err := o.openToRead(ctx); err == nil { // the facts were read already
		list = append(list, s.sharedFacts(ctx, holds)...)
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
	order := slices.SortedFunc(maps.Keys(groups), func(a, b thing) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.namespace, b.namespace))
	})
	res.Groups, res.Total = []api.Contradiction{}, len(order)
	order = order[min(req.Offset, len(order)):]
	for _, about := range order[:min(req.Limit, len(order))] {
		facts := groups[about]
		sortFacts(facts, "created", false)
		shown := facts[:min(req.Most, len(facts))]
		res.Groups = append(res.Groups, api.Contradiction{Key: about.key, Namespace: about.namespace, Facts: mapped(shown, (*storedFact).object), More: len(facts) - len(shown)})
	}
	return res, nil
}

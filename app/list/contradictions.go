package list

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/fact"
	"agentflow/app/lookup"
	"agentflow/internal/lists"
)

// Contradictions lists groups of facts of the repository, and of the user's own memory, that are
// about the same thing.
func Contradictions(ctx context.Context, m *app.Memory, req fact.ContradictionsRequest) (res fact.ContradictionsResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&res.Degraded, &err)
	defer o.OrNothing(&err)
	res.Groups = []api.Contradiction{}
	if req.Offset < 0 || req.Limit < 1 || req.Most < 1 {
		return res, app.Usagef("a page of contradictions has an offset of at least 0, and holds at least one fact of one group")
	}
	list, err := chosenFacts(ctx, o, &Request{})
	if err != nil {
		return res, err
	}
	holds := func(k *lookup.StoredFact) bool { return k.Key != "" && k.Live(time.Now()) }
	if s, err := o.OpenToRead(ctx); err == nil { // an error is ignored, because the facts were already read
		list = append(list, lookup.SharedFacts(ctx, s, holds)...)
	}
	type thing struct{ key, namespace string }
	groups := map[thing][]*lookup.StoredFact{}
	for _, k := range list {
		about := thing{k.Key, k.Namespace}
		agrees := k.Author != "" && slices.ContainsFunc(groups[about], func(o *lookup.StoredFact) bool { return app.SameFact(o.Fact, k.Fact) })
		if k.Key != "" && !agrees {
			groups[about] = append(groups[about], k)
		}
	}
	maps.DeleteFunc(groups, func(_ thing, facts []*lookup.StoredFact) bool { return len(facts) < 2 })
	clashes := fact.Clashing(list, time.Now())
	order := slices.SortedFunc(maps.Keys(groups), func(a, b thing) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.namespace, b.namespace))
	})
	all := lists.Mapped(order, func(about thing) fact.Contradiction {
		return fact.Contradiction{Key: about.key, Namespace: about.namespace, Words: nil, Facts: groups[about]}
	})
	all = append(all, clashes...)
	res.Groups, res.Total = []api.Contradiction{}, len(all)
	all = all[min(req.Offset, len(all)):]
	res.Groups = lists.Mapped(all[:min(req.Limit, len(all))], func(c fact.Contradiction) api.Contradiction { return c.Object(req.Most) })
	return res, nil
}

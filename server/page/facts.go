package page

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"agentflow/api"
	"agentflow/app"
	"agentflow/memory"
)

// factsPage is the view Facts.
type factsPage struct {
	Words, Type, Tag, Key, Source, Namespace, State, Sort string
	Orders                                                []app.FactOrder
	Facts                                                 []api.Fact
	Total                                                 int
	Next                                                  string
	First                                                 bool
	Filtered                                              bool // some filter is set
	Narrowed                                              bool // or words are
}

// clashPage is the view Facts with those that contradict each other.
type clashPage struct {
	Groups   []keyGroup
	Total    int // of groups, on all pages
	Page     int // from 1
	Next     int // the page behind this one; 0: this is the last
	Previous int
}

// keyGroup are facts that hold and say something of one thing.
type keyGroup struct {
	Key, Namespace string
	Facts          []api.Fact // the newest first
	More           int        // that are left out
}

const (
	factsOfPage  = 50
	groupsOfPage = 20
	factsOfGroup = 6
)

func facts(ctx context.Context, q request) (a answer, err error) {
	p := factsPage{Words: q.get("words"), Type: q.get("type"), Tag: q.get("tag"), Key: q.get("key"), Source: q.get("source"), Namespace: q.get("namespace"), State: q.get("state"), Sort: q.get("sort"),
		Orders: app.FactOrders, First: q.get("cursor") == ""}
	p.Filtered = p.Type+p.Tag+p.Key+p.Source+p.Namespace+p.State != ""
	p.Narrowed = p.Filtered || p.Words != ""
	req := app.ListRequest{Words: strings.Fields(p.Words), Type: memory.FactType(p.Type), Tag: p.Tag, Key: p.Key, Source: p.Source, Namespace: p.Namespace, State: app.FactState(p.State),
		Sort: app.FactOrder(p.Sort), Limit: factsOfPage, Cursor: q.get("cursor")}
	res, err := q.Memory.List(ctx, req)
	if err != nil {
		return a, err
	}
	p.Facts, p.Total, p.Next = res.Facts, res.Total, res.Next
	return answer{Title: "Facts", Data: p, Degraded: res.Degraded}, nil
}

// contradictions shows the facts that hold and have the same key, side by
// side.
func contradictions(ctx context.Context, q request) (a answer, err error) {
	res, err := q.Memory.List(ctx, app.ListRequest{Sort: "key"})
	if err != nil {
		return a, err
	}
	groups := clashes(res.Facts)
	p := clashPage{Total: len(groups), Page: 1}
	if n, err := strconv.Atoi(q.get("page")); err == nil {
		p.Page = min(max(n, 1), len(groups)/groupsOfPage+1)
	}
	p.Previous = p.Page - 1
	if p.Page*groupsOfPage < len(groups) {
		p.Next = p.Page + 1
	}
	p.Groups = groups[min((p.Page-1)*groupsOfPage, len(groups)):min(p.Page*groupsOfPage, len(groups))]
	for i, g := range p.Groups {
		if len(g.Facts) > factsOfGroup {
			p.Groups[i].Facts, p.Groups[i].More = g.Facts[:factsOfGroup], len(g.Facts)-factsOfGroup
		}
	}
	return answer{Title: "Contradictions", Data: p, Degraded: res.Degraded}, nil
}

// clashes are the groups of several facts with one key in one namespace, in
// the order of their keys. Of two such facts only one can be right.
func clashes(list []api.Fact) (groups []keyGroup) {
	at := map[[2]string]int{}
	for _, f := range list {
		if f.Key == "" {
			continue
		}
		name := [2]string{f.Namespace, f.Key}
		i, ok := at[name]
		if !ok {
			i = len(groups)
			at[name] = i
			groups = append(groups, keyGroup{Key: f.Key, Namespace: f.Namespace})
		}
		groups[i].Facts = append(groups[i].Facts, f)
	}
	groups = slices.DeleteFunc(groups, func(g keyGroup) bool { return len(g.Facts) < 2 })
	for _, g := range groups {
		slices.SortStableFunc(g.Facts, func(a, b api.Fact) int { return b.Created.Compare(a.Created) })
	}
	return groups
}

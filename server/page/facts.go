package page

import (
	"context"
	"strconv"
	"strings"

	"agentflow/app/api"
	"agentflow/app/fact"
	"agentflow/app/list"
	"agentflow/app/propose"
	"agentflow/memory"
)

// factsPage is the view Facts.
type factsPage struct {
	Words, Type, Tag, Key, Source, Namespace, State, Sort, Author string

	Orders   []fact.Order
	Facts    []api.Fact
	Total    int
	Next     string
	First    bool
	Filtered bool // a filter is set
	Narrowed bool // a filter is set, or words are
}

// clashPage is the view Facts with facts that contradict each other.
type clashPage struct {
	fact.ContradictionsResult
	Next     int // number of the next page; 0 on the last page
	Previous int // number of the previous page; 0 on the first page
}

const (
	factsOfPage  = 50
	groupsOfPage = 20
	factsOfGroup = 6
	maxPages     = 1 << 20
)

func facts(ctx context.Context, q request) (a answer, err error) {
	p := factsPage{Words: q.get("words"), Type: q.get("type"), Tag: q.get("tag"), Key: q.get("key"), Source: q.get("source"), Namespace: q.get("namespace"), State: q.get("state"), Sort: q.get("sort"), Author: q.get("author"),
		Orders: list.FactOrders, First: q.get("cursor") == ""}
	p.Filtered = p.Type+p.Tag+p.Key+p.Source+p.Namespace+p.State+p.Author != ""
	p.Narrowed = p.Filtered || p.Words != ""
	req := list.Request{Words: strings.Fields(p.Words), Type: memory.FactType(p.Type), Tags: q.list("tag"), Key: p.Key, Source: p.Source, Namespace: p.Namespace, State: list.FactState(p.State),
		Sort: fact.Order(p.Sort), Limit: factsOfPage, Cursor: q.get("cursor"), Author: p.Author}
	res, err := list.List(ctx, q.Memory, req)
	if err != nil {
		return a, err
	}
	p.Facts, p.Total, p.Next = res.Facts, res.Total, res.Next
	return answer{Title: "Facts", Data: p, Degraded: res.Degraded}, nil
}

// contradictions shows the live facts with the same key, side by side.
func contradictions(ctx context.Context, q request) (a answer, err error) {
	page := 1
	if n, err := strconv.Atoi(q.get("page")); err == nil {
		page = min(max(n, 1), maxPages)
	}
	res, err := list.Contradictions(ctx, q.Memory, fact.ContradictionsRequest{Offset: (page - 1) * groupsOfPage, Limit: groupsOfPage, Most: factsOfGroup})
	p := clashPage{ContradictionsResult: res, Previous: page - 1}
	if page*groupsOfPage < res.Total {
		p.Next = page + 1
	}
	return answer{Title: "Contradictions", Data: p, Degraded: res.Degraded}, err
}

// maxReview is the maximum number of proposals on a page.
const maxReview = 100

// review shows the facts and proposals that wait for a person.
func review(ctx context.Context, q request) (a answer, err error) {
	res, err := propose.Review(ctx, q.Memory, propose.ReviewRequest{Limit: maxReview})
	return answer{Title: "Review", Data: res.Review, Degraded: res.Degraded}, err
}

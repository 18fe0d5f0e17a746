package page

import (
	"context"
	"strconv"
	"time"

	"agentflow/app/api"
	appsearch "agentflow/app/search"
	"agentflow/app/setup"
	"agentflow/memory"
	"agentflow/memory/retrieval"
)

// searchPage is the view Search.
type searchPage struct {
	Query, Kind, Type, Tag, Path, Branch, Since, Until, Author string

	Task    string       // for the preview
	Preview *api.Preview // on the start page: what the next session would get

	Filtered bool // a filter is set
	Hits     []hit
	More     int // the limit that shows more; 0 if there are no more
}

const (
	someHits = 20
	mostHits = 100
	maxWords = 16 << 10 // bytes of a query
)

func search(ctx context.Context, q request) (a answer, err error) {
	p := searchPage{Query: q.get("q"), Kind: q.get("kind"), Type: q.get("type"), Tag: q.get("tag"), Path: q.get("path"), Branch: q.get("branch"), Since: q.get("since"), Until: q.get("until"), Author: q.get("author")}
	a.Title = "Search"
	filter := retrieval.Filter{Kind: memory.Kind(p.Kind), Tags: q.list("tag"), Path: p.Path, Branch: p.Branch}
	if filter.Since, filter.Until, err = period(p.Since, p.Until); err != nil {
		return a, err
	}
	if p.Type != "" {
		filter.Types = []memory.FactType{memory.FactType(p.Type)}
	}
	p.Filtered = !filter.None() || p.Author != ""
	if p.Query == "" {
		a.Data, a.Degraded, err = p.withPreview(ctx, q)
		return a, err
	}
	if len(p.Query) > maxWords {
		return a, usagef("a query has at most %d bytes", maxWords)
	}
	limit := someHits
	if n, err := strconv.Atoi(q.get("limit")); err == nil {
		limit = min(max(n, 1), mostHits)
	}
	res, err := appsearch.Search(ctx, q.Memory, appsearch.SearchRequest{Text: p.Query, Filter: filter, Author: p.Author, Limit: limit, Explain: true, Typing: q.values.Has("typing")})
	if err != nil {
		return a, err
	}
	for _, h := range res.Hits {
		p.Hits = append(p.Hits, shownHit(appsearch.InRepository(h), res.Highlight))
	}
	if len(p.Hits) == limit && limit < mostHits {
		p.More = min(limit*3, mostHits)
	}
	a.Data, a.Degraded = p, res.Degraded
	a.Title = "Search: " + memory.Title(p.Query)
	return a, nil
}

// withPreview adds what the next session would get, and what its first prompt
// would add. It shows nothing for all repositories together.
func (p searchPage) withPreview(ctx context.Context, q request) (searchPage, []string, error) {
	if p.Task = q.get("task"); len(p.Task) > maxWords {
		return p, nil, usagef("a task has at most %d bytes", maxWords)
	}
	if q.Name == allRepositories || p.Filtered {
		return p, nil, nil
	}
	res, err := setup.Preview(ctx, q.Memory, setup.PreviewRequest{Task: p.Task})
	p.Preview = &res.Preview
	return p, res.Degraded, err
}

// period parses two days; until is included.
func period(since, until string) (from, to time.Time, err error) {
	if from, err = day(since); err != nil {
		return from, to, err
	}
	if to, err = day(until); err == nil && until != "" {
		to = to.AddDate(0, 0, 1)
	}
	return from, to, err
}

func day(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.ParseInLocation(time.DateOnly, text, time.Local)
	if err != nil {
		return t, usagef("%q is no day: want one such as 2026-11-21", memory.Clean(text))
	}
	return t, nil
}

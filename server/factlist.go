package server

import (
	"cmp"
	"context"
	"strings"
	"time"

	"agentflow/app/api"
	"agentflow/app/fact"
	"agentflow/app/list"
	"agentflow/memory"
)

// FactChoice selects facts. An empty field selects all.
type FactChoice struct {
	Words         string          `query:"words" json:"-" doc:"a fact's text has all of them"`
	Type          memory.FactType `query:"type" json:"-" doc:"semantic, episodic or procedural"`
	Tags          []string        `query:"tag" json:"-" doc:"may be given several times: a fact has each of them"`
	Key           string          `query:"key" json:"-"`
	Category      string          `query:"category" json:"-"`
	Source        string          `query:"source" json:"-" doc:"hand, the id of a run or the end of one, or what the fact was imported from"`
	Namespace     string          `query:"namespace" json:"-" doc:"project, branch, branch/NAME, run/ID, team or global"`
	Since         time.Time       `query:"since" json:"-" doc:"facts of this time and later"`
	Until         time.Time       `query:"until" json:"-" doc:"facts before this time"`
	MinImportance float64         `query:"min_importance" json:"-" doc:"0 to 1"`
	State         list.FactState  `query:"state" json:"-" doc:"live (the default), struck, expired or all"`
	Sharing
}

func (f FactChoice) request() (list.Request, error) {
	switch f.State {
	case "live":
		f.State = list.LiveFacts
	case list.LiveFacts, list.StruckFacts, list.ExpiredFacts, list.AllFacts:
	default:
		return list.Request{}, usagef("state: want live, struck, expired or all, have %q", f.State)
	}
	return list.Request{Words: strings.Fields(f.Words), Type: f.Type, Tags: f.Tags, Key: f.Key, Category: f.Category, Source: f.Source, Namespace: f.Namespace,
		Since: f.Since, Until: f.Until, MinImportance: f.MinImportance, State: f.State, Shared: f.Shared, Author: f.Author}, nil
}

// FactList requests one page of a list of facts.
type FactList struct {
	FactChoice
	Sort    fact.Order `query:"sort" json:"-" doc:"the order, as 'agentflow memory list --sort' has it"`
	Reverse bool       `query:"reverse" json:"-"`
	Page
}

// Page requests a part of a list.
type Page struct {
	Limit  int    `query:"limit" json:"-" doc:"at most this many, 1 to 200; 50 when it is left out"`
	Cursor string `query:"cursor" json:"-" doc:"next of the page before"`
}

const maxPage = 200

func (p Page) limit() (int, error) {
	if n := cmp.Or(p.Limit, 50); n >= 1 && n <= maxPage {
		return n, nil
	}
	return 0, usagef("limit: want 1 to %d, have %d", maxPage, p.Limit)
}

// Facts is one page of a list of facts.
type Facts struct {
	Facts      []api.Fact `json:"facts"`
	Total      int        `json:"total"` // on all pages
	Next       string     `json:"next"`  // cursor of the next page; empty on the last page
	Repository string     `json:"repository"`
	Degraded   []string   `json:"degraded"`
}

func listFacts(ctx context.Context, c call, in FactList) (out Facts, err error) {
	req, err := in.request()
	if err != nil {
		return out, err
	}
	req.Sort, req.Reverse, req.Cursor = in.Sort, in.Reverse, in.Cursor
	if req.Limit, err = in.limit(); err != nil {
		return out, err
	}
	res, err := list.List(ctx, c.Memory, req)
	for i := range res.Facts {
		res.Facts[i] = filledFact(res.Facts[i])
	}
	return Facts{res.Facts, res.Total, res.Next, c.Name, res.Degraded}, err
}

// Count is the number of facts in a list.
type Count struct {
	Total      int      `json:"total"`
	Repository string   `json:"repository"`
	Degraded   []string `json:"degraded"`
}

func counts(ctx context.Context, c call, in FactChoice) (out Count, err error) {
	req, err := in.request()
	if err != nil {
		return out, err
	}
	req.Limit = 1
	res, err := list.List(ctx, c.Memory, req)
	return Count{res.Total, c.Name, res.Degraded}, err
}

package server

import (
	"cmp"
	"context"
	"slices"
	"time"

	"agentflow/app/api"
	apprecall "agentflow/app/recall"
	appsearch "agentflow/app/search"
	"agentflow/app/setup"
	"agentflow/memory"
	"agentflow/memory/retrieval"
)

// Filter limits a search. An empty field does not limit.
type Filter struct {
	Since         time.Time         `json:"since,omitzero" doc:"entries of this time and later"`
	Until         time.Time         `json:"until,omitzero" doc:"entries before this time"`
	Kind          memory.Kind       `json:"kind,omitempty" doc:"only entries of this kind: run, session, commit or note"`
	Type          memory.FactType   `json:"type,omitempty" doc:"only entries with a fact of this type: semantic, episodic or procedural"`
	Types         []memory.FactType `json:"types,omitempty" doc:"as type, for any of several types"`
	Tag           string            `json:"tag,omitempty" doc:"only entries with a fact that has this tag"`
	Tags          []string          `json:"tags,omitempty" doc:"as tag, for several tags: each narrows"`
	Category      string            `json:"category,omitempty" doc:"only entries with a fact of this category"`
	MinImportance float64           `json:"min_importance,omitempty" doc:"only entries at least so important, 0 to 1; an entry is as important as its most important fact, 0.5 where none says so"`
	Path          string            `json:"path,omitempty" doc:"only entries that changed this path or something below it"`
	Branch        string            `json:"branch,omitempty" doc:"only entries of this branch"`
	Namespaces    []string          `json:"namespaces,omitempty" doc:"count the facts of these namespaces instead of the current branch's"`
	Explain       bool              `json:"explain,omitempty" doc:"give every part of each score"`
}

func (f Filter) query() retrieval.Filter {
	types, tags := f.Types, f.Tags
	if f.Type != "" {
		types = append(slices.Clip(types), f.Type)
	}
	if f.Tag != "" {
		tags = append(slices.Clip(tags), f.Tag)
	}
	return retrieval.Filter{Since: f.Since, Until: f.Until, Kind: f.Kind, Types: types, Tags: tags, Category: f.Category, MinImportance: f.MinImportance, Path: f.Path, Branch: f.Branch}
}

// Search requests what memory holds about some words.
type Search struct {
	Query    string                `json:"query" doc:"the words; at most 16384 bytes"`
	Limit    int                   `json:"limit,omitempty" doc:"at most this many hits, 1 to 200; the setting search.max_results, or 10, when it is left out"`
	Offset   int                   `json:"offset,omitempty" doc:"leaves out so many of the first hits, up to 100,000: with limit, the next page"`
	MinScore *float64              `json:"min_score,omitempty" doc:"only hits with at least this score, 0 to 1; the setting search.min_score when it is left out"`
	Sort     appsearch.SearchOrder `json:"sort,omitempty" doc:"relevance (the default), time (newest first), importance or score: the order of the 200 most relevant hits"`
	Author   string                `json:"author,omitempty" doc:"only what this person shared, or stored through a team's server"`
	Gate     bool                  `json:"gate,omitempty" doc:"only hits that a prompt would get"`
	Filter
}

// Hit is an entry or text that was found, with its repository.
type Hit struct {
	retrieval.Hit
	Repository string `json:"repository"`
}

// Hits are the hits of one search, best first.
type Hits struct {
	Hits     []Hit    `json:"hits"`
	Degraded []string `json:"degraded"`
}

const (
	maxHits   = 200
	maxOffset = 100_000
)

func search(ctx context.Context, c call, in Search) (out Hits, err error) {
	switch {
	case in.Query == "" || len(in.Query) > maxText:
		return out, usagef("query: want 1 to %d bytes", maxText)
	case in.Limit < 0 || in.Limit > maxHits:
		return out, usagef("limit: want 1 to %d, have %d", maxHits, in.Limit)
	case in.Offset < 0 || in.Offset > maxOffset:
		return out, usagef("offset: want 0 to %d, have %d", maxOffset, in.Offset)
	}
	res, err := appsearch.Search(ctx, c.Memory, appsearch.SearchRequest{Text: in.Query, Filter: in.query(), Namespaces: in.Namespaces, Limit: in.Limit, Default: 10, Offset: in.Offset,
		MinScore: in.MinScore, Sort: in.Sort, Author: in.Author, Gate: in.Gate, Explain: in.Explain})
	out.Hits, out.Degraded = c.hits(res.Hits), res.Degraded
	return out, err
}

func (c call) hits(list []retrieval.Hit) []Hit {
	out := []Hit{}
	for _, h := range list {
		if h.Commits == nil {
			h.Commits = []string{}
		}
		h = appsearch.InRepository(h)
		out = append(out, Hit{h, cmp.Or(h.Repository, c.Name)})
	}
	return out
}

// Recall requests the block of memory that a run of a task would get.
type Recall struct {
	Task   string `json:"task" doc:"at most 16384 bytes"`
	Top    int    `json:"top,omitempty" doc:"at most this many entries, up to 100; the setting recall.top when it is left out"`
	Budget int    `json:"budget,omitempty" doc:"tokens for the block, up to 100,000; the setting recall.budget when it is left out"`
	Filter
}

// Recalled is that block.
type Recalled struct {
	api.Recall
	Repository string   `json:"repository"`
	Degraded   []string `json:"degraded"`
}

// PreviewTask may name a task.
type PreviewTask struct {
	Task string `query:"task" json:"task,omitempty" doc:"the first prompt of the session; left out: only what the session begins with"`
}

// Previewed is what the next session would get.
type Previewed struct {
	api.Preview
	Repository string   `json:"repository"`
	Degraded   []string `json:"degraded"`
}

func preview(ctx context.Context, c call, in PreviewTask) (out Previewed, err error) {
	if len(in.Task) > maxText {
		return out, usagef("task: want at most %d bytes", maxText)
	}
	res, err := setup.Preview(ctx, c.Memory, setup.PreviewRequest{Task: in.Task})
	return Previewed{res.Preview, c.Name, res.Degraded}, err
}

func recall(ctx context.Context, c call, in Recall) (out Recalled, err error) {
	switch {
	case in.Task == "" || len(in.Task) > maxText:
		return out, usagef("task: want 1 to %d bytes", maxText)
	case in.Top < 0 || in.Top > 100 || in.Budget < 0 || in.Budget > 100_000:
		return out, usagef("want a top up to 100 and a budget up to 100,000")
	}
	res, err := apprecall.Recall(ctx, c.Memory, apprecall.Request{Task: in.Task, Filter: in.query(), Namespaces: in.Namespaces, Top: in.Top, Budget: in.Budget, Explain: in.Explain})
	return Recalled{res.Recall, c.Name, res.Degraded}, err
}

package search

import (
	"context"
	"slices"
	"strings"

	"agentflow/app"
	"agentflow/app/lookup"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/memory/retrieval"
)

// shownID counts the printed digits of an id. A word with fewer is not searched for as an id.
const shownID = 6

// withNamed puts the entry or fact with an id that ends with the searched text first. A text that
// is no such id, and one that several ids end with, change nothing. Forgotten facts are not found.
func withNamed(ctx context.Context, s *app.Repo, text string, hits []retrieval.Hit) []retrieval.Hit {
	id := strings.ToLower(strings.TrimSpace(text))
	if len(id) < shownID || strings.Trim(id, "0123456789abcdef-") != "" {
		return hits
	}
	item, err := lookup.Find(ctx, s, id)
	s, item, err = lookup.OrGlobal(ctx, s, id, item, err)
	if err != nil {
		return hits
	}
	named, ok := hitOf(s, item)
	if !ok {
		return hits
	}
	hits = slices.DeleteFunc(hits, func(h retrieval.Hit) bool { return h.EntryID == named.EntryID })
	return append([]retrieval.Hit{named}, hits...)
}

// hitOf returns an item as a hit that is certainly meant. It returns false for a fact that no longer counts.
func hitOf(s *app.Repo, item lookup.StoredItem) (retrieval.Hit, bool) {
	h := retrieval.Hit{Path: lookup.Named(s, item.File), StartLine: item.StartLine, EndLine: item.LastLine(), Author: item.Author,
		EntryID: item.ID, Score: 1, RankScore: 1, Importance: memory.PlainImportance, Text: strings.TrimSpace(string(item.Raw)), Commits: []string{}, Explain: &retrieval.Explain{}}
	if e := item.Entry; e != nil {
		h.Kind, h.Date, h.Heading = e.Kind, e.Time, markdown.EntryHeading(*e)
		for _, c := range e.Commits {
			h.Commits = append(h.Commits, c.ID)
		}
	}
	at := slices.IndexFunc(item.Facts, func(f markdown.FactAt) bool { return item.Fact != nil && f.ID == item.ID })
	if at < 0 {
		return h, item.Fact == nil
	}
	f := item.Facts[at]
	h.StartLine, h.EndLine, h.Text, h.Namespace = f.StartLine, f.EndLine, strings.TrimSpace(string(f.Raw)), f.Namespace
	h.Heading = memory.Title(f.Text)
	return h, !f.Struck
}

package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"agentflow/executor"
	"agentflow/index"
	"agentflow/memory"
	"agentflow/prompt"
)

// globalLabel stands before paths in the user's own memory.
const globalLabel = "global:"

// recall gathers what a prompt for a task is made of. What people wrote by
// hand is redacted as it may end up in a run's folder; what we record was
// redacted then.
func (s *site) recall(ctx context.Context, q memory.Query) (executor.Known, error) {
	q.Own = true
	known, err := s.know(ctx, q, true)
	for i := range known.Hits {
		if known.Hits[i].Kind == "" {
			known.Hits[i].Text = s.redact.Text(known.Hits[i].Text)
		}
	}
	for i := range known.Facts {
		known.Facts[i].Text = s.redact.Text(known.Facts[i].Text)
	}
	return known, err
}

// search asks the index, brought up to date first, and that of the user's own
// memory, where there is one.
func (s *site) search(ctx context.Context, q memory.Query) ([]memory.Hit, []string, error) {
	known, err := s.know(ctx, q, false)
	return known.Hits, known.Degraded, err
}

// know is search, with the facts of both MEMORY.md when they are wanted.
func (s *site) know(ctx context.Context, q memory.Query, facts bool) (executor.Known, error) {
	known := executor.Known{Namespaces: append(slices.Clip(q.Namespaces), memory.GlobalNamespace)}
	trouble := func(err error) {
		if err != nil {
			known.Degraded = append(known.Degraded, fmt.Sprintf("asking your own memory: %v", err))
		}
	}
	global, err := s.globalSite(ctx, false)
	trouble(err)
	if facts {
		known.Facts, err = s.lasting(ctx)
		known.Degraded = appendError(known.Degraded, err)
		if global != nil {
			more, err := global.lasting(ctx)
			trouble(err)
			known.Facts = append(known.Facts, asGlobal(more)...)
		}
	}
	if len(known.Facts) > 0 { // those that only repeat them leave their place to others
		q.Limit = cmp.Or(q.Limit, prompt.DefaultTop) + spareHits
	}
	hits, degraded, err := s.own(ctx, q, known.Facts)
	known.Hits, known.Degraded = hits, append(known.Degraded, degraded...)
	if err != nil || global == nil {
		return known, err
	}
	q.Namespaces = []string{memory.GlobalNamespace}
	more, degraded, err := global.own(ctx, q, nil)
	trouble(err)
	known.Degraded = append(known.Degraded, degraded...)
	known.Hits = merged(known.Hits, more, cmp.Or(q.Limit, prompt.DefaultTop))
	return known, nil
}

// spareHits is how many hits are asked for beyond those that are shown.
const spareHits = 3

// merged puts hits of the user's own memory among those of the repository.
// Scores are shares of each memory's best: what one knows better counts in
// full, and the other's by how much its best has of that evidence.
func merged(hits, global []memory.Hit, most int) []memory.Hit {
	share := 1.0
	if ours := bestEvidence(hits); ours > 0 {
		share = min(bestEvidence(global)/ours, 1)
	}
	for _, h := range global {
		h = ofGlobal(h, share)
		if h.Origin != nil {
			origin := ofGlobal(*h.Origin, share)
			h.Origin = &origin
		}
		hits = append(hits, h)
	}
	slices.SortStableFunc(hits, func(a, b memory.Hit) int { return cmp.Compare(b.Score, a.Score) })
	return hits[:min(most, len(hits))]
}

// ofGlobal is a hit of the user's own memory among others.
func ofGlobal(h memory.Hit, share float64) memory.Hit {
	h.Path = globalLabel + h.Path
	h.Score *= share
	return h
}

func bestEvidence(hits []memory.Hit) float64 {
	most := 0.0
	for _, h := range hits {
		if h.Explain != nil {
			most = max(most, h.Explain.Evidence)
		}
	}
	return most
}

// weigh notes of facts how much they share with what is asked.
func weigh(ctx context.Context, db *index.DB, query string, facts []prompt.Fact) error {
	texts := make([]string, len(facts))
	for i, f := range facts {
		texts[i] = f.Text
	}
	evidence, err := db.Evidence(ctx, query, texts)
	for i := range evidence {
		facts[i].Evidence = evidence[i]
	}
	return err
}

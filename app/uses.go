package app

import (
	"context"
	"time"

	"agentflow/memory"
	"agentflow/uses"
)

// uses are the counts of what was of use here, beside the log.
func (s *site) uses() uses.File { return uses.File{Dir: s.State()} }

// countFound counts what a search showed.
func (s *site) countFound(ctx context.Context, hits []memory.Hit) {
	var ids []string
	for _, h := range hits {
		ids = append(ids, h.EntryID)
	}
	s.uses().Add(ctx, uses.Search, ids, time.Now())
}

// useCounts are the counts of this memory and of the user's own; what cannot
// be read is said.
func (s *site) useCounts(ctx context.Context) map[string]uses.Use {
	all := map[string]uses.Use{}
	sites := []*site{s}
	if !s.isGlobal() {
		if global, err := s.globalSite(ctx, false); err == nil && global != nil {
			sites = append(sites, global)
		}
	}
	for _, home := range sites {
		counts, err := home.uses().Read()
		if err != nil {
			s.warn("%v", err)
		}
		for id, u := range counts {
			all[id] = all[id].Plus(u)
		}
	}
	return all
}

// withUses gives facts the counts of their ids, of those too that were merged
// into them.
func withUses(list []storedFact, counts map[string]uses.Use) {
	for i := range list {
		for _, id := range list[i].IDs() {
			list[i].used = list[i].used.Plus(counts[id])
		}
	}
}

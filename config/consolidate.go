package config

import (
	"math"
	"time"
)

// Consolidate holds what consolidation does to memory.
type Consolidate struct {
	FoldAfter         time.Duration // age of the daily files that are folded into months; 0: none are
	PromoteRuns       int           // in the own words of so many runs a fact goes to MEMORY.md; 0: none does for that
	PromoteImportance float64       // from this importance on a fact goes to MEMORY.md, 0 to 1; 0: none does for that
}

// Retention holds what consolidation takes out of memory: by default nothing,
// and never what is pinned.
type Retention struct {
	MaxFacts      int           // facts kept in a namespace; 0: all
	MaxAge        time.Duration // since a fact was last said; 0: for ever
	MinImportance float64       // 0 to 1
}

func defaultConsolidate() Consolidate {
	return Consolidate{FoldAfter: 30 * day, PromoteRuns: 3, PromoteImportance: 0.8}
}

// keys are those of [consolidate] and [retention]: a repository may set them.
func (Consolidate) keys() []key {
	g := group{}
	return []key{
		g.duration("consolidate.fold_after", func(c *Config) *time.Duration { return &c.Consolidate.FoldAfter }),
		g.integer("consolidate.promote_runs", 0, math.MaxInt32, func(c *Config) *int { return &c.Consolidate.PromoteRuns }),
		g.number("consolidate.promote_importance", 0, 1, func(c *Config) *float64 { return &c.Consolidate.PromoteImportance }),
		g.integer("retention.max_facts", 0, math.MaxInt32, func(c *Config) *int { return &c.Retention.MaxFacts }),
		g.duration("retention.max_age", func(c *Config) *time.Duration { return &c.Retention.MaxAge }),
		g.number("retention.min_importance", 0, 1, func(c *Config) *float64 { return &c.Retention.MinImportance }),
	}
}

package index

import (
	"agentflow/index/rank"
)

// Ranking holds every constant that the order of hits depends on.
type Ranking = rank.Ranking

// DefaultRanking returns the constants that measured best.
func DefaultRanking() Ranking { return rank.Default() }

package index

import (
	"context"
	"database/sql"
	"math"
)

// spread puts the candidates, sorted by relevance, into the order of hits:
// what a task needs to see is which files it will touch. The candidates vote
// for the paths they name, and recent work makes paths warm; then, one by
// one, the candidate is picked whose relevance and still unseen paths weigh
// most. A second entry about the same files comes after one that names others.
func (s *searcher) spread(ctx context.Context, c *sql.Conn, found []*candidate) ([]*candidate, error) {
	warm, err := s.warmth(ctx, c)
	if err != nil {
		return nil, err
	}
	b := newBallot(found[:min(len(found), s.r.Candidates)])
	if err := b.dropCommon(ctx, c, s.r); err != nil {
		return nil, err
	}
	b.vote(s.r)
	b.weigh(warm, s.q.Exists, s.r)
	picked := b.pick(min(s.q.Limit, len(b.voters)), s.r.includedRoom(s.q), s.r)
	for _, k := range found[len(b.voters):] { // only a listing asks for so many
		k.score = k.relevance
		picked = append(picked, k)
	}
	falling(picked)
	return picked[:min(len(picked), s.q.Limit)], nil
}

// falling keeps scores from rising down the list: an entry may be worth more
// once another's paths are seen.
func falling(found []*candidate) {
	last := math.Inf(1)
	for _, k := range found {
		k.score = min(k.score, last)
		last = k.score
	}
}

// warmth says how much the newest entries worked on each path, 0 to 1: each
// counts half as much as the one WarmHalfLife entries later.
func (s *searcher) warmth(ctx context.Context, c *sql.Conn) (map[string]float64, error) {
	lists, err := column[[]byte](ctx, c, `SELECT paths FROM chunks WHERE ordinal=0 AND entry<>'' AND source='' AND date IS NOT NULL
		ORDER BY date DESC, id DESC LIMIT ?`, s.r.WarmEntries)
	if err != nil {
		return nil, err
	}
	warm := map[string]float64{}
	best := 0.0
	for i, list := range lists {
		names := unlist0(list)
		add := math.Pow(0.5, float64(i)/s.r.WarmHalfLife) / math.Sqrt(float64(len(names)))
		for _, name := range names {
			warm[name] += add
			best = max(best, warm[name])
		}
	}
	for name := range warm {
		warm[name] /= best
	}
	return warm, nil
}

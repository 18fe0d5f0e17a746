package index

import (
	"context"
	"database/sql"
	"math"
	"slices"
)

// ballot is a vote of candidates for the paths they name.
type ballot struct {
	names  []string
	of     [][]int   // of each candidate; a candidate without has one of its own
	all    []int     // how many each candidate names, common ones included
	weight []float64 // 0 to 1
	seen   []bool
	voters []*candidate
}

func newBallot(voters []*candidate) *ballot {
	b := &ballot{voters: voters, of: make([][]int, len(voters)), all: make([]int, len(voters))}
	at := map[string]int{}
	for i, k := range voters {
		names := unlist0(k.paths)
		b.all[i] = max(len(names), 1)
		if len(names) == 0 {
			b.of[i] = []int{len(b.names)}
			b.names = append(b.names, "")
		}
		for _, name := range names {
			n, ok := at[name]
			if !ok {
				n = len(b.names)
				at[name] = n
				b.names = append(b.names, name)
			}
			b.of[i] = append(b.of[i], n)
		}
	}
	b.weight = make([]float64, len(b.names))
	b.seen = make([]bool, len(b.names))
	return b
}

// dropCommon leaves out the paths that tell nothing, because a great share of
// all entries name them.
func (b *ballot) dropCommon(ctx context.Context, c *sql.Conn, r Ranking) error {
	hashes := map[uint32]int{entryTerm: 0}
	for _, name := range b.names {
		hashes[pathTerm(name)] = 0
	}
	if err := countTerms(ctx, c, hashes); err != nil {
		return err
	}
	limit := max(float64(r.CommonPathMin), r.CommonPathShare*float64(hashes[entryTerm]))
	for i, list := range b.of {
		b.of[i] = slices.DeleteFunc(list, func(n int) bool {
			return b.names[n] != "" && float64(hashes[pathTerm(b.names[n])]) > limit
		})
	}
	return nil
}

// vote gives each path the squares of the relevance of those who name it: a
// few good ones outvote many poor ones, and who names many paths says less of
// each.
func (b *ballot) vote(r Ranking) {
	for i, k := range b.voters {
		v := k.relevance * k.relevance / math.Pow(float64(b.all[i]), r.VoteShare)
		for _, n := range b.of[i] {
			b.weight[n] += v
		}
	}
	toOne(b.weight)
}

// weigh adds warmth and takes away what is no longer there.
func (b *ballot) weigh(warm map[string]float64, exists func(string) bool, r Ranking) {
	for n, name := range b.names {
		b.weight[n] += r.WarmWeight * warm[name]
		if name != "" && exists != nil && !exists(name) {
			b.weight[n] = 0
		}
	}
	toOne(b.weight)
}

// toOne divides by the largest.
func toOne(list []float64) {
	best := 0.0
	for _, v := range list {
		best = max(best, v)
	}
	for i := range list {
		if best > 0 {
			list[i] /= best
		}
	}
}

// pick returns the n best in their order, with at most room of them from
// included files.
func (b *ballot) pick(n, room int, r Ranking) []*candidate {
	left := make([]int, len(b.voters))
	for i := range left {
		left[i] = i
	}
	picked := make([]*candidate, 0, n)
	for len(picked) < n {
		at := b.best(left, room > 0, r)
		if at < 0 {
			break
		}
		i := left[at]
		left = slices.Delete(left, at, at+1)
		k := b.voters[i]
		k.files = b.worth(i, r)
		k.score = k.relevance + k.files
		if k.included {
			room--
		}
		for _, path := range b.of[i] {
			b.seen[path] = true
		}
		picked = append(picked, k)
	}
	return picked
}

// best is the place in left of the candidate that is worth most now; -1 when
// none may be picked.
func (b *ballot) best(left []int, included bool, r Ranking) int {
	at, most := -1, -1.0
	for place, i := range left {
		k := b.voters[i]
		if k.included && !included {
			continue
		}
		if score := k.relevance + b.worth(i, r); score > most {
			at, most = place, score
		}
	}
	return at
}

// worth is what a candidate's unseen paths add to its score.
func (b *ballot) worth(i int, r Ranking) float64 {
	sum, n := 0.0, 0
	for _, path := range b.of[i] {
		if !b.seen[path] {
			sum += b.weight[path]
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return r.SpreadWeight * sum / math.Pow(float64(n), r.SpreadShare)
}

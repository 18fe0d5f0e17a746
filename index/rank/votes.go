package rank

import (
	"math"
	"slices"
)

// Paths is what the index knows of the paths that candidates name.
type Paths struct {
	Recent  [][]string       // the paths of the newest entries, the newest first
	Entries int              // with paths
	Naming  func(string) int // how many of them name a path
}

// Pick puts the candidates, sorted by relevance, into the order of hits: what
// a task needs to see is which files it will touch. The candidates vote for
// the paths they name, and recent work makes paths warm; then, one by one, the
// candidate is picked whose relevance and still unseen paths weigh most. A
// second entry about the same files comes after one that names others.
func (s *Search) Pick(found []*Candidate, paths Paths) []*Candidate {
	v := newVotes(s.Voters(found))
	v.dropCommon(paths, s.Ranking)
	v.count(s.Ranking)
	v.weigh(warmth(paths.Recent, s.Ranking), s.Query.Exists, s.Ranking)
	picked := v.pick(min(s.Query.Limit, len(v.voters)), s.room(), s.Ranking)
	for _, k := range found[len(v.voters):] { // only a listing wants so many
		k.Score = k.Relevance
		picked = append(picked, k)
	}
	if s.Query.Gate {
		pinnedFirst(picked)
	}
	return falling(picked, s.Query.Limit)
}

// pinnedFirst puts what agents stored through tools behind the last hit that a
// person pinned, and leaves the rest in its order.
func pinnedFirst(picked []*Candidate) {
	last := -1
	for i, k := range picked {
		if k.Pinned {
			last = i
		}
	}
	slices.SortStableFunc(picked[:last+1], func(a, b *Candidate) int {
		switch {
		case a.ByTool == b.ByTool:
			return 0
		case a.ByTool:
			return 1
		}
		return -1
	})
}

// Voters are the candidates whose paths count.
func (s *Search) Voters(found []*Candidate) []*Candidate {
	return found[:min(len(found), s.Candidates)]
}

// warmth says how much the newest entries worked on each path, 0 to 1: each
// counts half as much as the one WarmHalfLife entries later.
func warmth(recent [][]string, r Ranking) map[string]float64 {
	warm := map[string]float64{}
	best := 0.0
	for i, paths := range recent {
		add := math.Pow(0.5, float64(i)/r.WarmHalfLife) / math.Sqrt(float64(len(paths)))
		for _, path := range paths {
			warm[path] += add
			best = max(best, warm[path])
		}
	}
	for path := range warm {
		warm[path] /= best
	}
	return warm
}

// votes are those of candidates for the paths they name.
type votes struct {
	voters []*Candidate
	paths  []string
	of     [][]int   // places in paths, of each candidate; one without paths has a place for itself
	all    []int     // how many each candidate names, common ones included
	weight []float64 // 0 to 1
	seen   []bool
}

func newVotes(voters []*Candidate) *votes {
	v := &votes{voters: voters, of: make([][]int, len(voters)), all: make([]int, len(voters))}
	at := map[string]int{}
	for i, k := range voters {
		v.all[i] = max(len(k.Paths), 1)
		if len(k.Paths) == 0 {
			v.of[i] = []int{len(v.paths)}
			v.paths = append(v.paths, "")
		}
		for _, path := range k.Paths {
			n, ok := at[path]
			if !ok {
				n = len(v.paths)
				at[path] = n
				v.paths = append(v.paths, path)
			}
			v.of[i] = append(v.of[i], n)
		}
	}
	v.weight = make([]float64, len(v.paths))
	v.seen = make([]bool, len(v.paths))
	return v
}

// dropCommon leaves out the paths that tell nothing, because a great share of
// all entries name them.
func (v *votes) dropCommon(paths Paths, r Ranking) {
	limit := r.CommonPathShare * float64(max(paths.Entries, smallStore))
	for i, list := range v.of {
		v.of[i] = slices.DeleteFunc(list, func(n int) bool {
			return v.paths[n] != "" && float64(paths.Naming(v.paths[n])) > limit
		})
	}
}

// count gives each path the squares of the relevance of those that name it: a
// few good ones outvote many poor ones, and a candidate that names many paths
// says less of each.
func (v *votes) count(r Ranking) {
	for i, k := range v.voters {
		vote := k.Relevance * k.Relevance / math.Pow(float64(v.all[i]), r.VoteShare)
		for _, n := range v.of[i] {
			v.weight[n] += vote
		}
	}
	toOne(v.weight)
}

// weigh adds warmth, and takes all weight from paths that are no longer there.
func (v *votes) weigh(warm map[string]float64, exists func(string) bool, r Ranking) {
	for n, path := range v.paths {
		v.weight[n] += r.WarmWeight * warm[path]
		if path != "" && exists != nil && !exists(path) {
			v.weight[n] = 0
		}
	}
	toOne(v.weight)
}

// toOne divides by the largest.
func toOne(list []float64) {
	best := 0.0
	for _, x := range list {
		best = max(best, x)
	}
	for i, x := range list {
		list[i] = share(x, best)
	}
}

// pick returns the n best in their order, as far as there is room for them.
func (v *votes) pick(n int, room room, r Ranking) []*Candidate {
	left := make([]int, len(v.voters))
	for i := range left {
		left[i] = i
	}
	picked := make([]*Candidate, 0, n)
	for len(picked) < n {
		at := v.best(left, room, r)
		if at < 0 {
			break
		}
		i := left[at]
		left = slices.Delete(left, at, at+1)
		k := v.voters[i]
		k.Files = v.worth(i, r)
		k.Score = k.Relevance + k.Files
		room.takes(k)
		for _, n := range v.of[i] {
			v.seen[n] = true
		}
		picked = append(picked, k)
	}
	return picked
}

// best is the place in left of the candidate that is worth most now; -1 when
// none may be picked.
func (v *votes) best(left []int, room room, r Ranking) int {
	at, most := -1, -1.0
	for place, i := range left {
		k := v.voters[i]
		if !room.has(k) {
			continue
		}
		if score := k.Relevance + v.worth(i, r); score > most {
			at, most = place, score
		}
	}
	return at
}

// worth is what a candidate's unseen paths add to its score.
func (v *votes) worth(i int, r Ranking) float64 {
	sum, n := 0.0, 0
	for _, path := range v.of[i] {
		if !v.seen[path] {
			sum += v.weight[path]
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return r.SpreadWeight * sum / math.Pow(float64(n), r.SpreadShare)
}

package rank

import (
	"math"
	"slices"

	"agentflow/internal/words"
)

// Pick orders the candidates, sorted by relevance, into hits. A task
// needs the files that it will touch. worth returns the value of a path
// for that, 0 to 1. Pick repeatedly takes the candidate with the highest sum of
// relevance and unseen paths. A second entry about the same files comes
// after one that names others.
func (s *Search) Pick(found []*Candidate, worth func(path string) float64) []*Candidate {
	among, rest := s.pickable(found)
	p := newPicker(among, worth, s.spread(), s.SpreadShare)
	picked := p.pick(min(s.Query.Limit, len(among)), s.room())
	for _, k := range rest { // only a listing wants so many
		k.Score = k.Relevance
		picked = append(picked, k)
	}
	if s.Query.Gate {
		pinnedFirst(picked)
	}
	return falling(picked, s.Query.Limit)
}

// spread returns SpreadWeight, or QuestionSpread for a question.
func (s *Search) spread() float64 {
	if words.IsQuestion(s.Query.Text) {
		return s.QuestionSpread
	}
	return s.SpreadWeight
}

// pinnedFirst moves texts that agents stored through tools after the last hit that a
// person pinned, and keeps the order of the others.
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

// Voters returns the candidates that vote for paths: the most relevant ones.
func (s *Search) Voters(found []*Candidate) []*Candidate {
	return found[:min(len(found), s.Candidates)]
}

// pickable returns the candidates that Pick chooses among, the voters and candidates
// about likely files, and the rest.
func (s *Search) pickable(found []*Candidate) (picked, rest []*Candidate) {
	picked = slices.Clone(s.Voters(found))
	for _, k := range found[len(picked):] {
		if k.Likely {
			picked = append(picked, k)
		} else {
			rest = append(rest, k)
		}
	}
	return picked, rest
}

// picker picks among voters.
type picker struct {
	spread float64 // maximum of the part from unseen paths
	power  float64 // of their number, by which that is divided
	voters []*Candidate
	of     [][]int   // places in weight, of each voter's paths
	weight []float64 // of each path
	seen   []bool
}

func newPicker(voters []*Candidate, worth func(string) float64, spread, power float64) *picker {
	p := &picker{spread: spread, power: power, voters: voters, of: make([][]int, len(voters))}
	at := map[string]int{}
	for i, k := range voters {
		for _, path := range k.Paths {
			n, ok := at[path]
			if !ok {
				n = p.place(worth(path))
				at[path] = n
			}
			if p.weight[n] > 0 {
				p.of[i] = append(p.of[i], n)
			}
		}
	}
	p.placePathless()
	p.seen = make([]bool, len(p.weight))
	return p
}

// place adds a path with a weight, and returns its place.
func (p *picker) place(weight float64) int {
	p.weight = append(p.weight, weight)
	return len(p.weight) - 1
}

// placePathless gives each candidate without a path, such as a fact, a private path with
// the value of its relevance: the cube of its share of the best. With the
// square, recall@5 of the questions in testdata/search is 0.786 instead of 0.793.
func (p *picker) placePathless() {
	best := 0.0
	for _, k := range p.voters {
		best = max(best, k.Relevance)
	}
	for i, k := range p.voters {
		if len(k.Paths) == 0 {
			p.of[i] = []int{p.place(math.Pow(share(k.Relevance, best), 3))}
		}
	}
}

// pick returns the n best in their order, as far as there is room for them.
func (p *picker) pick(n int, room room) []*Candidate {
	left := make([]int, len(p.voters))
	for i := range left {
		left[i] = i
	}
	picked := make([]*Candidate, 0, n)
	for len(picked) < n {
		at := p.best(left, room)
		if at < 0 {
			break
		}
		i := left[at]
		left = slices.Delete(left, at, at+1)
		k := p.voters[i]
		k.Files = p.worth(i)
		k.Score = k.Relevance + k.Files
		room.takes(k)
		for _, n := range p.of[i] {
			p.seen[n] = true
		}
		picked = append(picked, k)
	}
	return picked
}

// best returns the place in left of the candidate with the highest score now, or -1 if
// none may be picked.
func (p *picker) best(left []int, room room) int {
	at, most := -1, -1.0
	for place, i := range left {
		k := p.voters[i]
		if !room.has(k) {
			continue
		}
		if score := k.Relevance + p.worth(i); score > most {
			at, most = place, score
		}
	}
	return at
}

// worth returns the part of a candidate's score from its unseen paths.
func (p *picker) worth(i int) float64 {
	sum, n := 0.0, 0
	for _, path := range p.of[i] {
		if !p.seen[path] {
			sum += p.weight[path]
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return p.spread * sum / math.Pow(float64(n), p.power)
}

package files

import (
	"math"
	"slices"
	"strings"

	"agentflow/index/contents"
	"agentflow/internal/roles"
)

// Voter is an entry that a search found.
type Voter struct {
	Paths     []string
	Relevance float64 // to the task; not negative
}

// voter is a found entry; its paths are indexes of places.
type voter struct {
	paths     []int32
	relevance float64
	of        float64 // how many paths it names
}

// model is a Window with the results of a search: the input of all features.
type model struct {
	*Window
	voters   []voter
	votes    []float64 // of each path: see countVotes
	contents *holding  // nil: not known
	exact    exact
}

// Shares of the entries, counted as at least fewEntries, above which a path gives no
// information: most changes of a change log are in passing. Source code may be hot.
const (
	commonShare = 0.1
	hotShare    = 0.6
	fewEntries  = 50
)

// newModel returns a model. known describes the files' contents, or is nil. exists is as in Rank.
func newModel(w *Window, found []Voter, known *contents.Found, exists func(string) bool) *model {
	m := &model{Window: w}
	for _, f := range found {
		v := voter{relevance: f.Relevance, of: float64(max(1, len(f.Paths)))}
		for _, name := range f.Paths {
			v.paths = append(v.paths, w.know(name))
		}
		m.voters = append(m.voters, v)
	}
	if known != nil {
		m.know(newHolding(w.query, known))
	}
	m.knowQuoted(exists)
	m.votes = m.countVotes()
	for i := range m.paths {
		m.paths[i].role = roles.Of(string(m.paths[i].name))
	}
	m.exact = m.exactNames()
	return m
}

// knowQuoted adds the files that the task names by their paths.
func (m *model) knowQuoted(exists func(string) bool) {
	for _, p := range m.query.named.Paths {
		name := strings.Join(p.Parts, "/")
		if _, known := m.at[key(name)]; !known && exists != nil && exists(name) {
			m.Window.know(name)
		}
	}
}

// know adds the files that their contents make candidates, and finds the places of the others.
func (m *model) know(h *holding) {
	m.contents = h
	for _, n := range h.candidates(m.query) {
		m.Window.know(h.Paths[n])
	}
	h.place = make([]int32, len(h.Paths))
	for n, name := range h.Paths {
		place, ok := m.at[key(name)]
		if !ok {
			place = -1
		}
		h.place[n] = place
	}
}

// common reports whether too many entries name a path for it to give information.
func (m *model) common(place int32) bool {
	if m.paths[place].role == roles.Source {
		return m.touchedBy(place, hotShare)
	}
	return m.hot(place)
}

// hot reports whether so many entries name a path that it does not tell them apart.
func (m *model) hot(place int32) bool { return m.touchedBy(place, commonShare) }

func (m *model) touchedBy(place int32, share float64) bool {
	return float64(m.paths[place].touches) > share*float64(max(len(m.entries), fewEntries))
}

// zero returns a zero for each path.
func (m *model) zero() []float64 { return make([]float64, len(m.paths)) }

// countVotes gives each path the squares of the relevance of the entries that
// name it, divided by the power .3 of the number of their paths: a few good ones
// outvote many poor ones.
func (m *model) countVotes() []float64 {
	votes := m.zero()
	for _, v := range m.voters {
		vote := v.relevance * v.relevance / math.Pow(v.of, 0.3)
		for _, p := range v.paths {
			votes[p] += vote
		}
	}
	return votes
}

// warmth returns how much the newest entries worked on each path: the sum of
// 2^(−age/30)/√n over the entries that name it.
func (m *model) warmth() []float64 {
	warm := m.zero()
	m.overEntries(30, func(e *entry, left float64) {
		for _, p := range m.pathsOf(e) {
			warm[p] += left * e.weight
		}
	})
	return warm
}

// overEntries calls f for each entry with the remaining part of a weight that halves
// every halfLife entries, until it is negligible.
func (w *Window) overEntries(halfLife float64, f func(e *entry, left float64)) {
	left, each := 1.0, math.Pow(0.5, 1/halfLife)
	for i := range w.entries {
		if left < 1e-4 {
			return
		}
		f(&w.entries[i], left)
		left *= each
	}
}

// rarity returns the weight of a term that df of n things contain, as for BM25.
func rarity(n, df float64) float64 { return math.Log(1 + max(0, n-df+0.5)/(df+0.5)) }

// toOne divides by the largest value, unless no value is positive.
func toOne(list []float64) []float64 {
	if best := slices.Max(append(list[:len(list):len(list)], 0)); best > 0 {
		for i := range list {
			list[i] /= best
		}
	}
	return list
}

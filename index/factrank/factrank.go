// Package factrank says which facts of a memory a task needs. A linear model over what
// a task and a fact share (words, concepts, files), over what kind of task it is and
// what the fact is about gives each fact the chance that an experienced colleague
// would insist on it. It is pure and needs no network.
package factrank

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// A Fact is what the matcher knows of a fact.
type Fact struct {
	ID     string
	Text   string
	Under  []string // headings and lead-ins above it, the outermost first
	Paths  []string // globs of the files that it is about, may be empty
	Pinned bool
	Uses   int       // times that a prompt showed it and the run used it
	Time   time.Time // when it was stated
}

// A Task is what is known of the work to come.
type Task struct {
	Text  string
	Files []File // files that the work will probably touch, with chance; may be empty
	Dir   string // working directory below the work tree's root, slash-separated, "" for the root
	Now   time.Time
}

// A File is a path in the repository, with the chance that a task touches it.
type File struct {
	Path   string
	Chance float64
}

// A Matcher knows the facts of a memory. Any number of goroutines may use it.
type Matcher struct {
	weights   Weights
	vocab     *vocabulary
	facts     []*fact
	found     [][]int32 // numbers of the facts that hold a term
	idf       []float64 // of terms
	rare      []float64 // of concepts
	rareKinds []float64
	usual     float64 // length of a fact, in terms
}

// New prepares a matcher for the facts of a memory.
func New(facts []Fact) *Matcher { return Default().New(facts) }

// Chances returns for each fact, in the order given to New, the chance in [0, 1] that
// an experienced colleague would insist on it for the task.
func (m *Matcher) Chances(task Task) []float64 {
	chances := make([]float64, len(m.facts))
	if len(m.facts) == 0 {
		return chances
	}
	e := m.examine(task)
	own := sigmoid(m.weights.Own.sum(e.Task))
	for i, signals := range e.Facts {
		chances[i] = own * sigmoid(m.weights.Needed.sum(signals)+m.facts[i].standing(task.Now))
	}
	return chances
}

// Select returns the indexes of the facts to show within a budget of tokens, the best
// first; tokens[i] is the cost of fact i. Pinned facts come before all others.
func (m *Matcher) Select(task Task, tokens []int, budget int) []int {
	chances := m.Chances(task)
	order := m.order(chances)
	worth := func(i int) float64 {
		v := Worth(chances[i], tokens[i])
		if m.facts[i].Pinned {
			v += 1
		}
		return v
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(worth(b), worth(a)) })
	taken := order[:0]
	for _, i := range order {
		if tokens[i] <= budget {
			budget -= tokens[i]
			taken = append(taken, i)
		}
	}
	slices.SortStableFunc(taken, func(a, b int) int { return m.compare(chances, a, b) })
	return taken
}

// Worth returns what a fact of so many tokens is worth within a budget of tokens.
func Worth(chance float64, tokens int) float64 {
	return chance / math.Pow(float64(max(1, tokens)), costPower)
}

// costPower says how much cheaper facts are preferred: 0 not at all, 1 by chance a token.
const costPower = 0.3

// Gate returns the least chance of a fact that a prompt adds to those that are shown for
// every task.
func (m *Matcher) Gate() float64 { return m.weights.Gate }

// Relevant returns the indexes of the facts that were not shown and of which the
// chance is at least the gate, the best first.
func (m *Matcher) Relevant(task Task, shown map[int]bool) []int {
	chances := m.Chances(task)
	return slices.DeleteFunc(m.order(chances), func(i int) bool { return shown[i] || chances[i] < m.weights.Gate })
}

// order sorts facts, pinned ones first, then by chance.
func (m *Matcher) order(chances []float64) []int {
	order := make([]int, len(chances))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return m.compare(chances, a, b) })
	return order
}

func (m *Matcher) compare(chances []float64, a, b int) int {
	pinned := map[bool]int{true: 1}
	return cmp.Or(
		cmp.Compare(pinned[m.facts[b].Pinned], pinned[m.facts[a].Pinned]),
		cmp.Compare(chances[b], chances[a]),
		m.facts[b].Time.Compare(m.facts[a].Time),
		cmp.Compare(a, b))
}

func sigmoid(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

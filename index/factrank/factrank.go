// Package factrank says which facts of a memory a task needs. A linear model over what
// a task and a fact share (words, concepts, files), over what kind of task it is and
// what the fact is about gives each fact the chance that an experienced colleague
// would insist on it. It is pure and needs no network.
package factrank

import (
	"cmp"
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

// Chances returns for each fact, in the order given to New, the chance in [0, 1] that
// an experienced colleague would insist on it for the task.
func (m *Matcher) Chances(task Task) []float64 {
	a, c := m.ask(task), newCollector()
	own := sigmoid(m.weights.Own.sum(a.own()))
	chances := make([]float64, len(m.facts))
	for i, f := range m.facts {
		c.list = c.list[:0]
		a.signals(i, c)
		chances[i] = own * sigmoid(m.weights.Needed.sum(c.list)+f.standing(task.Now))
	}
	return chances
}

// Select returns the indexes of the facts to show within a budget of tokens, the best
// first; tokens[i] is the cost of fact i. Pinned facts come before all others.
func (m *Matcher) Select(task Task, tokens []int, budget int) (shown []int) {
	for _, i := range m.order(m.Chances(task)) {
		if tokens[i] <= budget {
			budget -= tokens[i]
			shown = append(shown, i)
		}
	}
	return shown
}

// Gate returns the least chance of a fact that a prompt adds to those that are shown for
// every task.
func (m *Matcher) Gate() float64 { return m.weights.Gate }

// Relevant returns the indexes of the facts that were not shown and of which the
// chance is at least the gate, the best first.
func (m *Matcher) Relevant(task Task, shown map[int]bool) []int {
	chances := m.Chances(task)
	return slices.DeleteFunc(m.order(chances), func(i int) bool { return shown[i] || chances[i] < m.weights.Gate })
}

// order sorts facts: pinned ones first, then by chance, the newer of two equals first.
func (m *Matcher) order(chances []float64) []int {
	list := order(chances)
	slices.SortStableFunc(list, func(a, b int) int {
		f, g := m.facts[a], m.facts[b]
		return cmp.Or(-cmp.Compare(one(f.Pinned), one(g.Pinned)), -cmp.Compare(chances[a], chances[b]), g.Time.Compare(f.Time))
	})
	return list
}

// order returns the indexes of values, the highest first.
func order(values []float64) []int {
	list := make([]int, len(values))
	for i := range list {
		list[i] = i
	}
	slices.SortStableFunc(list, func(a, b int) int { return -cmp.Compare(values[a], values[b]) })
	return list
}

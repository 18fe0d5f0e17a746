// Package factrank estimates which facts of a memory a task needs. A linear
// model gives each fact the chance that an experienced colleague would insist
// on it. Its signals are the words, concepts and files that the task and the
// fact share, the kind of the task, and the subject of the fact. The package is
// pure and needs no network.
package factrank

import (
	"cmp"
	"slices"
	"time"
)

// A Fact is a fact as the caller describes it.
type Fact struct {
	ID     string
	Text   string
	Under  []string // headings and lead-ins above it, the outermost first
	Paths  []string // globs of the files that it is about; may be empty
	Pinned bool
	Uses   int       // how often a prompt showed it and the run used it
	Time   time.Time // when it was stated
}

// A Task describes the work to be done.
type Task struct {
	Text  string
	Files []File // files that the work will probably touch, with their chances; may be empty
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

// Gate returns the minimum chance of a fact that a prompt adds to the facts
// shown for every task.
func (m *Matcher) Gate() float64 { return m.weights.Gate }

// Relevant returns the indexes of the facts that were not shown and have at
// least the gate's chance, best first.
func (m *Matcher) Relevant(task Task, shown map[int]bool) []int {
	chances := m.Chances(task)
	return slices.DeleteFunc(m.order(chances), func(i int) bool { return shown[i] || chances[i] < m.weights.Gate })
}

// order sorts facts: pinned facts first, then by chance, then the newer first.
func (m *Matcher) order(chances []float64) []int {
	list := order(chances)
	slices.SortStableFunc(list, func(a, b int) int {
		f, g := m.facts[a], m.facts[b]
		return cmp.Or(-cmp.Compare(one(f.Pinned), one(g.Pinned)), -cmp.Compare(chances[a], chances[b]), g.Time.Compare(f.Time))
	})
	return list
}

// order returns the indexes of values, highest first.
func order(values []float64) []int {
	list := make([]int, len(values))
	for i := range list {
		list[i] = i
	}
	slices.SortStableFunc(list, func(a, b int) int { return -cmp.Compare(values[a], values[b]) })
	return list
}

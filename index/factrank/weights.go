package factrank

import "math"

// A Model weighs signals, by their index.
type Model []float64

func (w Model) sum(signals []Signal) (z float64) {
	for _, s := range signals {
		z += w[s.Index] * float64(s.Value)
	}
	return z
}

// Weights are what a matcher was fitted to.
type Weights struct {
	Own    Model   // that the memory is about the task at all
	Needed Model   // that a task, if so, needs a fact
	Gate   float64 // least chance of a fact that a prompt adds
}

// Default returns the weights fitted to all sets.
func Default() *Weights { return &Weights{Own: own, Needed: needed, Gate: gate} }

// Signals returns what the models weigh: the signals of a task, and of the task with each
// fact.
func (m *Matcher) Signals(task Task) (own []Signal, facts [][]Signal) {
	a, c := m.ask(task), newCollector()
	for i := range m.facts {
		c.list = nil
		a.signals(i, c)
		facts = append(facts, c.list)
	}
	return a.own(), facts
}

func sigmoid(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

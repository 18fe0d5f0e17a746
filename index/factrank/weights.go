package factrank

import "math"

// A Model is a list of weights, by the index of their signal.
type Model []float64

func (w Model) sum(signals []Signal) (z float64) {
	for _, s := range signals {
		z += w[s.Index] * float64(s.Value)
	}
	return z
}

// Weights are the fitted parameters of a matcher.
type Weights struct {
	Own    Model   // for the chance that the memory is about the task at all
	Needed Model   // for the chance that a task needs a fact, if it is
	Gate   float64 // minimum chance of a fact that a prompt adds
}

// Default returns the weights fitted to all sets.
func Default() *Weights { return &Weights{Own: own, Needed: needed, Gate: gate} }

// Signals returns the inputs of the models: the signals of a task, and of the
// task with each fact.
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

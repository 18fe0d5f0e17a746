package factrank

// A Signal is one number that a model weighs.
type Signal struct {
	Index int32
	Value float32
}

// A Model weighs signals, by their index.
type Model []float64

func (w Model) sum(signals []Signal) (z float64) {
	for _, s := range signals {
		if int(s.Index) < len(w) {
			z += w[s.Index] * float64(s.Value)
		}
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

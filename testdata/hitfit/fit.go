package main

import "math"

// The fit is a logistic regression with a small penalty on the squares of the
// weights of standardised signals, by gradient descent with moments (Adam).
const (
	penalty = 1e-3
	steps   = 300
	rate    = 0.1
	// Questions are few, and count as often as so many tasks of a history, each of
	// which is asked with the contents of files and without.
	questionWeight = 6
)

// weighed are examples that count as often as weight says.
type weighed struct {
	*example
	set    string
	weight float64
}

// weights are those of signals, in their order.
type weights []float64

func (w weights) chance(x []float64) float64 {
	z := 0.0
	for i := range w {
		z += w[i] * x[i]
	}
	return 1 / (1 + math.Exp(-z))
}

// heldOut gives each of all its chance by weights that were fitted to the examples
// of other sets.
func heldOut(examples, all []weighed) {
	by := map[string]weights{}
	for _, e := range all {
		w, ok := by[e.set]
		if !ok {
			var others []weighed
			for _, o := range examples {
				if o.set != e.set {
					others = append(others, o)
				}
			}
			w = fit(others)
			by[e.set] = w
		}
		e.chance = w.chance(e.x)
	}
}

// fit returns the weights of the signals as they are.
func fit(examples []weighed) weights {
	mean, deviation := spread(examples)
	n := len(mean)
	w, m, v := make(weights, n), make(weights, n), make(weights, n)
	for step := 1; step <= steps; step++ {
		for i, g := range gradient(w, examples, mean, deviation) {
			m[i], v[i] = 0.9*m[i]+0.1*g, 0.999*v[i]+0.001*g*g
			now, square := m[i]/(1-math.Pow(0.9, float64(step))), v[i]/(1-math.Pow(0.999, float64(step)))
			w[i] -= rate * now / (math.Sqrt(square) + 1e-8)
		}
	}
	for i := 1; i < n; i++ {
		w[i] /= deviation[i]
		w[0] -= w[i] * mean[i]
	}
	return w
}

func gradient(w weights, examples []weighed, mean, deviation []float64) []float64 {
	g, x, n := make([]float64, len(w)), make([]float64, len(w)), 0.0
	for _, e := range examples {
		x[0] = 1
		for i := 1; i < len(x); i++ {
			x[i] = (e.x[i] - mean[i]) / deviation[i]
		}
		off := w.chance(x)
		if e.right {
			off--
		}
		for i := range g {
			g[i] += e.weight * off * x[i]
		}
		n += e.weight
	}
	for i := range g {
		g[i] = g[i]/n + 2*penalty*w[i]
	}
	return g
}

func spread(examples []weighed) (mean, deviation []float64) {
	n := float64(len(examples))
	mean, deviation = make([]float64, len(examples[0].x)), make([]float64, len(examples[0].x))
	for _, e := range examples {
		for i, x := range e.x {
			mean[i] += x / n
			deviation[i] += x * x / n
		}
	}
	for i := range mean {
		deviation[i] = max(math.Sqrt(max(0, deviation[i]-mean[i]*mean[i])), 1e-9)
	}
	return mean, deviation
}

package factfit

import (
	"math"

	"agentflow/index/factrank"
)

// row is an example of a logistic regression.
type row struct {
	signals []factrank.Signal
	right   bool
	weight  float64
}

// logistic fits a model with the penalty l2 on the squares of all weights except the first,
// which is the bias, by L-BFGS. It is deterministic.
func logistic(rows []row, size int, l2 float64) factrank.Model {
	p := &problem{rows: rows, l2: l2}
	for _, r := range rows {
		p.total += r.weight
	}
	return minimise(p.loss, size)
}

// deviation sets the standard deviation of plain signals before a fit.
const deviation = 0.5

// scaled is logistic with the plain signals scaled to one deviation, except the first two: the
// bias and the size of the memory.
func scaled(rows []row, size int, l2 float64) factrank.Model {
	scale := scales(rows)
	list := make([]row, len(rows))
	for i, r := range rows {
		list[i] = row{make([]factrank.Signal, len(r.signals)), r.right, r.weight}
		for k, s := range r.signals {
			if int(s.Index) < len(scale) {
				s.Value *= float32(scale[s.Index])
			}
			list[i].signals[k] = s
		}
	}
	m := logistic(list, size, l2)
	for i, k := range scale {
		m[i] *= k
	}
	return m
}

// scales returns the factors for plain signals.
func scales(rows []row) []float64 {
	sum, squares, n := make([]float64, factrank.Plain), make([]float64, factrank.Plain), 0.0
	for _, r := range rows {
		n += r.weight
		for _, s := range r.signals {
			if int(s.Index) < factrank.Plain {
				sum[s.Index] += r.weight * float64(s.Value)
				squares[s.Index] += r.weight * float64(s.Value) * float64(s.Value)
			}
		}
	}
	scale := make([]float64, factrank.Plain)
	for i := range scale {
		mean := sum[i] / n
		scale[i] = deviation / math.Sqrt(max(1e-6, squares[i]/n-mean*mean))
	}
	scale[0], scale[1] = 1, 1
	return scale
}

type problem struct {
	rows  []row
	total float64
	l2    float64
}

// loss returns the mean loss at w and its gradient.
func (p *problem) loss(w, gradient []float64) (sum float64) {
	clear(gradient)
	for _, r := range p.rows {
		z := 0.0
		for _, s := range r.signals {
			z += w[s.Index] * float64(s.Value)
		}
		sign := 1.0
		if r.right {
			sign = -1
		}
		// log(1+exp(sign·z)), without overflow
		sum += r.weight * (max(0, sign*z) + math.Log1p(math.Exp(-math.Abs(z))))
		off := r.weight * sign / (1 + math.Exp(-sign*z))
		for _, s := range r.signals {
			gradient[s.Index] += off * float64(s.Value)
		}
	}
	sum /= p.total
	for i := range gradient {
		gradient[i] /= p.total
		if i > 0 {
			sum += p.l2 / 2 * w[i] * w[i]
			gradient[i] += p.l2 * w[i]
		}
	}
	return sum
}

const (
	memorySteps = 8
	mostSteps   = 60
	enough      = 1e-5 // gradient
)

// minimise implements the method of Liu and Nocedal, "On the limited memory BFGS method for
// large scale optimization", 1989, with a backtracking line search.
func minimise(loss func(w, gradient []float64) float64, size int) []float64 {
	w, g := make([]float64, size), make([]float64, size)
	next, gNext := make([]float64, size), make([]float64, size)
	value := loss(w, g)
	var past []step
	for range mostSteps {
		if dot(g, g) < enough*enough {
			break
		}
		d := direction(g, past)
		slope, rate := dot(g, d), 1.0
		if len(past) == 0 {
			rate = 1 / math.Sqrt(dot(g, g))
		}
		var v float64
		for range 30 {
			for i := range w {
				next[i] = w[i] + rate*d[i]
			}
			if v = loss(next, gNext); v <= value+1e-4*rate*slope {
				break
			}
			rate /= 2
		}
		if v >= value {
			break
		}
		s := step{minus(next, w), minus(gNext, g), 0}
		if s.sy = dot(s.s, s.y); s.sy > 1e-12 {
			past = append(past, s)
			past = past[max(0, len(past)-memorySteps):]
		}
		value = v
		copy(w, next)
		copy(g, gNext)
	}
	return w
}

// step holds the difference of a step, the change of the gradient, and the product of both.
type step struct {
	s, y []float64
	sy   float64
}

// direction returns the next direction: the negative gradient times the inverse Hessian, as
// estimated from the last steps.
func direction(g []float64, past []step) []float64 {
	d := minus(make([]float64, len(g)), g)
	alphas := make([]float64, len(past))
	for i := len(past) - 1; i >= 0; i-- {
		alphas[i] = dot(past[i].s, d) / past[i].sy
		addTo(d, past[i].y, -alphas[i])
	}
	if n := len(past); n > 0 {
		scale := past[n-1].sy / dot(past[n-1].y, past[n-1].y)
		for i := range d {
			d[i] *= scale
		}
	}
	for i, s := range past {
		addTo(d, s.s, alphas[i]-dot(s.y, d)/s.sy)
	}
	return d
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

func minus(a, b []float64) []float64 {
	c := make([]float64, len(a))
	for i := range a {
		c[i] = a[i] - b[i]
	}
	return c
}

func addTo(a, b []float64, times float64) {
	for i := range a {
		a[i] += times * b[i]
	}
}

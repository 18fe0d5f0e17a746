package price

import (
	"math"
	"testing"
)

func TestPrices(t *testing.T) {
	own := List{"gpt-5.5": {Input: 2, Output: 10, Cached: 0.5}, "plain": {Input: 2, Output: 10}, "claude-opus-5-5": {Input: 1, Output: 1}, "nothing": {}}
	for _, c := range []struct {
		model string
		known bool
		cost  float64 // of a million of each
	}{
		{"gpt-5.5", true, 12.5},
		{"plain", true, 14},
		{"claude-opus-5-5", true, 3},
		{"claude-opus-5", true, 30.5},
		{"claude-haiku-4-5-20251001", true, 6.1},
		{"nothing", false, 0},
		{"gpt-5.5-mini", false, 0},
		{"", false, 0},
	} {
		p, known := own.Of(c.model)
		if cost := p.Of(million, million, million); known != c.known || math.Abs(cost-c.cost) > 1e-9 {
			t.Errorf("%s: %v, %v, %g", c.model, p, known, cost)
		}
	}
}

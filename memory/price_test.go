package memory

import "testing"

func TestPrice(t *testing.T) {
	for cost, want := range map[float64]string{0: "$0.00", 0.0033: "under $0.01", 0.005: "$0.01", 0.04: "$0.04", 12.345: "$12.35"} {
		if got := Price(cost); got != want {
			t.Errorf("%v: %q, want %q", cost, got, want)
		}
	}
}

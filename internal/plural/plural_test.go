package plural

import "testing"

func TestCount(t *testing.T) {
	for _, c := range []struct {
		n    int
		noun string
		want string
	}{{1, "day", "1 day"}, {5, "day", "5 days"}, {0, "entry", "0 entries"}, {2, "entry", "2 entries"}, {3, "fact", "3 facts"}} {
		if got := Count(c.n, c.noun); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

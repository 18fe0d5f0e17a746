package garbage

import (
	"math"
	"runtime/debug"
	"testing"
)

// TestCollectorIsTheUsers: whoever sets GOGC or GOMEMLIMIT decides.
func TestCollectorIsTheUsers(t *testing.T) {
	was, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(math.MaxInt64)
	defer func() { debug.SetGCPercent(was); debug.SetMemoryLimit(limit) }()
	for _, c := range []struct {
		gogc, limit string
		want        int64
	}{{"50", "", math.MaxInt64}, {"", "1GiB", math.MaxInt64}, {"", "", 256 << 20}} {
		t.Setenv("GOGC", c.gogc)
		t.Setenv("GOMEMLIMIT", c.limit)
		Hurry()
		if got := debug.SetMemoryLimit(-1); got != c.want {
			t.Errorf("GOGC=%q GOMEMLIMIT=%q: a limit of %d, want %d", c.gogc, c.limit, got, c.want)
		}
	}
}

package gctuning

import (
	"math"
	"runtime/debug"
	"testing"
)

// TestCollectorIsTheUsers checks that a user's GOGC or GOMEMLIMIT takes
// precedence.
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

// TestSpareEnds checks that after two overlapping Spare calls have ended, the
// settings are as before.
func TestSpareEnds(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	was, limit := debug.SetGCPercent(123), debug.SetMemoryLimit(1<<40)
	defer func() { debug.SetGCPercent(was); debug.SetMemoryLimit(limit) }()
	percent := func() int {
		p := debug.SetGCPercent(77)
		debug.SetGCPercent(p)
		return p
	}
	first, second := Spare(), Spare()
	first()
	first()
	if percent() != 50 {
		t.Errorf("%d percent while one spares", percent())
	}
	second()
	if percent() != 123 || debug.SetMemoryLimit(-1) != 1<<40 {
		t.Errorf("%d percent and a limit of %d after it", percent(), debug.SetMemoryLimit(-1))
	}
}

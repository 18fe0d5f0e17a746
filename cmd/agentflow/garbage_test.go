package main

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
)

// TestHurryRaisesItsLimit: no limit stands below what is in use.
func TestHurryRaisesItsLimit(t *testing.T) {
	was, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(math.MaxInt64)
	defer func() { debug.SetGCPercent(was); debug.SetMemoryLimit(limit) }()
	t.Setenv("GOGC", "50")
	hurry()
	if got := debug.SetMemoryLimit(-1); got != math.MaxInt64 {
		t.Errorf("a limit of %d though the user's GOGC is set", got)
	}
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	hurry()
	if got := debug.SetMemoryLimit(-1); got != hurryLimit {
		t.Errorf("a limit of %d, want %d", got, hurryLimit)
	}
	used := make([]byte, hurryLimit)
	await(t, "a limit above what is in use", func() bool {
		runtime.GC()
		return debug.SetMemoryLimit(-1) >= 2*hurryLimit
	})
	runtime.KeepAlive(used)
}

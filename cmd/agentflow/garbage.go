package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// How much memory a command trades for time. The garbage collector lets the heap
// grow by so many percent of what is in use, up to a limit in bytes. Where more
// than half of the limit is in use, the limit rises to twice of that, which is
// how the collector works by default: a limit below what is needed would keep it
// running all the time (300,000 files need 183 MB).
const (
	// Commands that wrap a run or answer a question should not be noticed.
	hurryGC    = 400
	hurryLimit = 128 << 20
	// A watcher sits beside other work all day.
	watchGC    = 50
	watchLimit = 24 << 20
)

// hurry makes this process trade memory for time.
func hurry() { collectGarbage(hurryGC, hurryLimit) }

// beSmall makes this process trade time for memory.
func beSmall() { collectGarbage(watchGC, watchLimit) }

// collectGarbage sets the garbage collector, unless the user's GOGC or
// GOMEMLIMIT does.
func collectGarbage(percent int, limit int64) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(percent)
	debug.SetMemoryLimit(limit)
	afterGC(raiseMemoryLimit)
}

// raiseMemoryLimit keeps the limit at twice the memory in use, at least.
func raiseMemoryLimit() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	if twice := 2 * int64(live[0].Value.Uint64()); twice > debug.SetMemoryLimit(-1) {
		debug.SetMemoryLimit(twice)
	}
	afterGC(raiseMemoryLimit)
}

// afterGC calls f once, after the next garbage collection.
func afterGC(f func()) {
	type sentinel struct{ _ [32]byte } // large enough for a place of its own
	runtime.SetFinalizer(new(sentinel), func(*sentinel) { f() })
}

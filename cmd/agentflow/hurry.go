package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Commands that wrap a run or answer a question should not be noticed: they
// trade memory for time. Below hurryHeap bytes the garbage collector lets the
// heap grow to five times what is in use. Where more than half of hurryHeap is
// in use, the limit rises to twice of that, which is how the collector works by
// default: a limit below what is needed would keep it running all the time
// (300,000 files need 183 MB).
const (
	hurryHeap = 128 << 20
	hurryGC   = 400
)

// hurry makes this process trade memory for time, unless the user's GOGC or
// GOMEMLIMIT says how much it may take.
func hurry() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(hurryGC)
	debug.SetMemoryLimit(hurryHeap)
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

package main

import "runtime/debug"

// What wraps a run should not be noticed: it trades memory for time. Below
// runHeap, in bytes, the collector runs at runGC percent; near it as often as
// needed.
const (
	runHeap = 128 << 20
	runGC   = 400
)

func hurryMemory() {
	debug.SetGCPercent(runGC)
	debug.SetMemoryLimit(runHeap)
}

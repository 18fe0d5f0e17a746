package app

import "runtime/debug"

// What wraps a run or answers a question should not be noticed: it trades
// memory for time. Below hurryHeap, in bytes, the collector runs at hurryGC
// percent; near it as often as needed.
const (
	hurryHeap = 128 << 20
	hurryGC   = 400
)

func hurryMemory() {
	debug.SetGCPercent(hurryGC)
	debug.SetMemoryLimit(hurryHeap)
}

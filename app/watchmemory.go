package app

import "runtime/debug"

// A watcher sits beside other work all day: it trades a little time for
// memory. Below watchHeap, in bytes, the collector runs at watchGC percent;
// near it as often as needed.
const (
	watchHeap = 24 << 20
	watchGC   = 50
)

func limitMemory() {
	debug.SetGCPercent(watchGC)
	debug.SetMemoryLimit(watchHeap)
}

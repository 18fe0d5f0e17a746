package main

import (
	"os"
	"runtime/debug"
)

// How much memory a command trades for time. The garbage collector lets the heap
// grow by so many percent of what is in use, and near the limit, in bytes, runs
// as often as it must. A limit below what is needed would keep it running all the
// time: a run over 300,000 files needs 183 MB.
const (
	// Commands that wrap a run or answer a question should not be noticed.
	hurryGC    = 400
	hurryLimit = 256 << 20
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
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}
}

package main

import (
	"runtime/debug"
	"strings"
)

// A watcher sits beside other work all day: it trades a little time for
// memory. Below smallHeap, in bytes, the collector runs at smallGC percent;
// near it as often as needed.
const (
	smallHeap = 24 << 20
	smallGC   = 50
)

// beSmall is for commands that run all day.
func (c *cli) beSmall() { c.collect(smallGC, smallHeap) }

// collect sets how the garbage collector works, unless the user did.
func (c *cli) collect(percent int, heap int64) {
	for _, v := range c.environ {
		if strings.HasPrefix(v, "GOGC=") || strings.HasPrefix(v, "GOMEMLIMIT=") {
			return
		}
	}
	debug.SetGCPercent(percent)
	debug.SetMemoryLimit(heap)
}

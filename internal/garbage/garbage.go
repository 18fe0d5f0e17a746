// Package garbage sets how much memory this process trades for time, unless the
// user's GOGC or GOMEMLIMIT does.
//
// The garbage collector lets the heap grow by so many percent of what is in
// use, and near the limit runs as often as it must. A limit below what is needed
// would keep it running all the time: a run over 300,000 files needs 183 MB.
package garbage

import (
	"math"
	"os"
	"runtime/debug"
	"sync"
)

// Hurry is for commands that wrap a run, answer a question or read a history: nobody should
// notice them.
func Hurry() { set(400, 256<<20) }

// Spare is for a run while much of what its agent printed waits: that is many times
// what it needs otherwise. 400 percent made it 130 MB, 50 make it 70, for a fifth more
// of processor time. It lasts until the function that it returns is called; where several
// spare, until the last of them has called its own. Then all is as it was before.
func Spare() (end func()) {
	if byUser() {
		return func() {}
	}
	sparing.Lock()
	defer sparing.Unlock()
	if sparing.runs++; sparing.runs == 1 {
		sparing.percent, sparing.limit = debug.SetGCPercent(50), debug.SetMemoryLimit(256<<20)
	}
	return sync.OnceFunc(func() {
		sparing.Lock()
		defer sparing.Unlock()
		if sparing.runs--; sparing.runs == 0 {
			debug.SetGCPercent(sparing.percent)
			debug.SetMemoryLimit(sparing.limit)
		}
	})
}

// sparing is how it was before runs began to spare.
var sparing struct {
	sync.Mutex
	runs, percent int
	limit         int64
}

// Whole is for what holds all of memory at once, whose size the user decides: 100,000
// entries are put in order with 410 MB instead of 630, in a sixth more of the time.
func Whole() { set(30, math.MaxInt64) }

// Watch is for what sits beside other work all day.
func Watch() { set(50, 24<<20) }

// Serve is for what answers many at once, all day. With 100 percent every third
// search of 10,000 entries met the collector, and one in twenty took 32 ms; now
// it takes 19 ms. Beside the heap stands what SQLite keeps of the index.
func Serve() { set(400, 64<<20) }

// Answer is for what answers one agent for as long as it works.
func Answer() { set(400, 80<<20) }

func set(percent int, limit int64) {
	if !byUser() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}
}

func byUser() bool { return os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" }

package index

import (
	"os"
	"runtime"
	"slices"
	"testing"
	"time"
)

// cost is what something took.
type cost struct {
	clock     time.Duration
	processor time.Duration // of all threads; 0 where the system does not report it
}

// timed collects garbage first, so that earlier work does not count.
func timed(f func()) cost {
	runtime.GC()
	used, start := processorTime(), time.Now()
	f()
	return cost{time.Since(start), processorTime() - used}
}

// quantile sorts list; q is 0 to 1.
func quantile(list []float64, q float64) float64 {
	slices.Sort(list)
	return list[min(int(q*float64(len(list))), len(list)-1)]
}

func removeDB(b testing.TB, path string) {
	b.Helper()
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !os.IsNotExist(err) {
			b.Fatal(err)
		}
	}
}

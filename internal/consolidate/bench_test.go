package consolidate

import (
	"fmt"
	"testing"
)

// BenchmarkPlan plans over a generated year, three facts a run; the time a
// fact takes shows how it grows.
func BenchmarkPlan(b *testing.B) {
	for _, facts := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("facts=%d", facts), func(b *testing.B) {
			in := Input{Options: defaults, Files: newYear(1, now, facts).files, Now: now}
			b.ResetTimer()
			for b.Loop() {
				if r := Plan(in); len(r.Edits) == 0 {
					b.Fatal("there is nothing to do")
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(facts), "µs/fact")
		})
	}
}

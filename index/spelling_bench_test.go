package index

import (
	"fmt"
	"strings"
	"testing"

	"agentflow/index/rank"
)

// BenchmarkCorrect measures what four unknown words add to a search: words
// unlike any other, and words with two swapped neighbours.
func BenchmarkCorrect(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		s := newStore(b)
		worked(b, s, n)
		d := s.open(Options{})
		s.sync(d)
		var swapped []string
		for _, rank := range []uint64{500, 3000, 9000, 20000} {
			w := wordOf(rank)
			swapped = append(swapped, w[:3]+w[4:5]+w[3:4]+w[5:])
		}
		for name, query := range map[string]string{
			"unlike": "zebrafish giraffe accommodation bathymetry", "swapped": strings.Join(swapped, " "),
		} {
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				looked(b, d, func(s *searcher) {
					used := processorTime()
					for b.Loop() {
						terms := rank.Terms(query)
						lookUp(s.view, terms)
						s.correct(terms)
					}
					b.ReportMetric((processorTime()-used).Seconds()*1000/float64(b.N), "cpu-ms/op")
				})
			})
		}
	}
}

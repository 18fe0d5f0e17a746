package index

import (
	"testing"

	"agentflow/index/rank"
	"agentflow/memory"
)

// TestFilesNeedASureHit: where no hit is sure, no likely file is, so that it is not named and
// brings in no fact about its folder. A hit that gives way to the file counts.
func TestFilesNeedASureHit(t *testing.T) {
	for evidence, want := range map[float64]bool{0.2: false, 1.2: true, 3: true} {
		s := &searcher{Search: rank.Search{Ranking: rank.Default(), Query: memory.Query{Gate: true, Sure: true}}}
		files := []memory.LikelyFile{{Path: "a.go", Chance: 0.4, Sure: true}}
		hit := &rank.Candidate{Entry: "a", Kind: "commit", Paths: []string{"a.go"}, Agrees: 0.4, Held: rank.Held{Evidence: evidence}}
		hits := s.useful([]*rank.Candidate{hit}, files)
		if files[0].Sure != want || (len(hits) > 0) != (evidence > 2) {
			t.Errorf("evidence %v: %d hits, sure of the file: %v", evidence, len(hits), files[0].Sure)
		}
	}
}

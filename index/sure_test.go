package index

import (
	"testing"

	"agentflow/index/files"
	"agentflow/index/question"
	"agentflow/index/rank"
	"agentflow/memory/retrieval"
)

// TestFilesNeedASureHit checks that without a sure hit no likely file is sure
// either, so that it is neither named nor brings in facts about its folder. A
// hit that gives way to a file counts as sure. A file that is less likely needs a hit that is
// shown. A document never counts as a file that the task asks for.
func TestFilesNeedASureHit(t *testing.T) {
	for evidence, want := range map[float64]bool{0.2: false, 1.2: true, 3: true} {
		s := &searcher{task: files.NewQuery("x", &question.Question{}, nil), Search: rank.Search{
			Ranking: rank.Default(), Query: retrieval.Query{Gate: true, Sure: true},
			Plan: rank.Choose(nil, 100, rank.Default()), Known: rank.Knowledge{Evidence: 3},
		}}
		likely := []retrieval.LikelyFile{{Path: "a.md", Chance: 0.45, Sure: true}, {Path: "a.go", Chance: 0.4, Sure: true}, {Path: "b.go", Chance: 0.2, Sure: true}}
		hit := &rank.Candidate{Entry: "a", Kind: "commit", Paths: []string{"a.go", "b.go"}, Agrees: 0.4, BM25: 20, TitleHeld: 1, Held: rank.Held{Evidence: evidence}}
		hits := s.useful([]*rank.Candidate{hit}, likely)
		if likely[0].Sure || likely[1].Sure != want || likely[2].Sure != (len(hits) > 0) || (len(hits) > 0) != (evidence > 2) {
			t.Errorf("evidence %v: %d hits, sure of %v", evidence, len(hits), likely)
		}
	}
}

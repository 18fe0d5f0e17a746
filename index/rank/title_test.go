package rank

import (
	"testing"

	"agentflow/index/stems"
	"agentflow/internal/words"
)

// TestTitleShare checks which words of a heading count, and how much of them a task holds.
func TestTitleShare(t *testing.T) {
	for _, c := range []struct {
		heading, task string
		want          float64
	}{
		{"2026-11-21 14:32 · Move the Docker image to hatch (#3965)", "docker images hatch", 0.75},
		{"2026-11-21 · Add 2 flags > part", "flag", 0.5},
		{"2026-11-21 14:32 · Retry", "", 0},
		{"2026-11-21 14:32 · ", "retry", 0},
	} {
		asked := map[uint32]bool{}
		for _, token := range words.Tokenize(c.task) {
			asked[stems.Hash(words.Stem(token.Text))] = true
		}
		if got := TitleShare(TitleStems(c.heading), asked, func(uint32) float64 { return 1 }); got != c.want {
			t.Errorf("%s: %v, want %v", c.heading, got, c.want)
		}
	}
}

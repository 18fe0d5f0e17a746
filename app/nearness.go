package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"agentflow/consolidate"
	"agentflow/embed"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

// nearness is how near each text but the first is to the first, 0 to 1: by
// vectors, or by words where there is no embedder, or asking it would start
// an agent.
func (s *site) nearness(ctx context.Context, texts []string) []float64 {
	near := make([]float64, len(texts)-1)
	vectors := s.vectorsOf(ctx, texts)
	for i := range near {
		if vectors != nil {
			near[i] = cosine(vectors[0], vectors[i+1])
		} else {
			near[i] = shared(texts[0], texts[i+1])
		}
	}
	return near
}

// vectorsOf embeds texts; nil where that cannot be.
func (s *site) vectorsOf(ctx context.Context, texts []string) [][]float32 {
	e, err := s.embedding()
	if err != nil || e == nil || s.settings.Embed.Provider == "claude" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.settings.Embed.Timeout)
	defer cancel()
	vectors, err := e.Embed(ctx, embed.Document, texts)
	if err != nil {
		if s.vectors.told.first(inTrouble) {
			s.degraded("memory similar", []string{fmt.Sprintf("comparing by words only: %v", err)})
		}
		return nil
	}
	return vectors
}

// cosine of two vectors of length 1; 0 where either is missing, or they point
// apart.
func cosine(a, b []float32) float64 {
	if len(a) != len(b) {
		return 0
	}
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return min(max(sum, 0), 1)
}

// shared is the share of words that two texts have in common (the Dice
// coefficient of their sets of words).
func shared(a, b string) float64 {
	has := map[string]bool{}
	for _, w := range strings.Fields(consolidate.Same(a)) {
		has[w] = true
	}
	other := map[string]bool{}
	common := 0
	for _, w := range strings.Fields(consolidate.Same(b)) {
		if has[w] && !other[w] {
			common++
		}
		other[w] = true
	}
	if len(has)+len(other) == 0 {
		return 0
	}
	return 2 * float64(common) / float64(len(has)+len(other))
}

// relation is what consolidation makes of two facts, wherever they hold; empty
// when that is nothing.
func relation(a, b memory.Fact, now time.Time) string {
	switch {
	case consolidate.Same(a.Text) == consolidate.Same(b.Text):
		return "says the same"
	case a.Key != "" && a.Key == b.Key:
		return "another value of the key " + a.Key
	}
	two := ""
	for i, f := range []memory.Fact{a, b} {
		id := fmt.Sprintf("01938f6e-0000-7000-8000-%012d", i+1)
		two += markdown.FormatFact(memory.Fact{ID: id, Type: memory.Semantic, Text: f.Text})
	}
	plan := consolidate.Plan(consolidate.Input{Files: map[string][]byte{"two.md": []byte(two)}, Now: now})
	for _, p := range plan.Possible {
		return "possible " + string(p.Kind) + ": " + p.Reason
	}
	return ""
}

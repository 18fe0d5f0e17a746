package extract

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"agentflow/internal/words"
	"agentflow/memory"
)

// maxShown limits the facts that a question shows.
const maxShown = 25

// Similar returns the facts that a run's words may repeat or outdate: those that share the most
// words with them, best first, within the limits of a question.
func Similar(run Run, facts []memory.Fact, now time.Time) []memory.Fact {
	var words strings.Builder
	for _, l := range newest(run.Lines, maxSaidTokens) {
		words.WriteString(l.Text + "\n")
	}
	said := terms(words.String())
	type match struct {
		memory.Fact
		score float64
	}
	var all []match
	for _, f := range facts {
		if !f.Live(now) || f.ID == "" {
			continue
		}
		if s := shared(terms(f.Text), said); s > 0 {
			all = append(all, match{f, s})
		}
	}
	slices.SortStableFunc(all, func(a, b match) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.ID, b.ID))
	})
	var out []memory.Fact
	left := maxKnownTokens
	for _, m := range all[:min(len(all), maxShown)] {
		if left -= memory.Tokens(m.Text); left < 0 {
			break
		}
		out = append(out, m.Fact)
	}
	return out
}

// shared returns the share of a fact's terms that the other words have, with more weight for
// more common terms.
func shared(fact, others map[string]bool) float64 {
	common := 0
	for t := range fact {
		if others[t] {
			common++
		}
	}
	if common < 2 && common < len(fact) {
		return 0
	}
	return float64(common) * float64(common) / float64(max(len(fact), 1))
}

// terms returns the stems of a text's content words.
func terms(text string) map[string]bool {
	set := map[string]bool{}
	for _, t := range words.Tokenize(text) {
		set[words.Stem(t.Text)] = true
	}
	return set
}

// exact returns the terms of a text that a model may not invent: identifiers, paths and all
// terms with a digit.
func exact(text string) map[string]bool {
	set := map[string]bool{}
	for _, t := range words.Tokenize(text) {
		if t.Named || strings.ContainsAny(t.Text, "0123456789") {
			set[t.Text] = true
		}
	}
	return set
}

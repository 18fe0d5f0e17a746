package consolidate

import (
	"slices"
	"strings"
	"testing"
)

// TestFactsApartCostNothing compares two facts of the same subject that are not close. Most
// pairs that are looked up are like that, so comparing them allocates nothing.
func TestFactsApartCostNothing(t *testing.T) {
	a := "The parser of the settings reads TOML, and it refuses unknown keys with the line of the file."
	b := "The parser of the history never reads commits of the machine, so that the file keeps its order."
	bagOf := func(text string) []string { return slices.Compact(slices.Sorted(slices.Values(wordsOf(text)))) }
	bagA, bagB := bagOf(a), bagOf(b)
	c := &comparison{plan: &plan{}, listed: map[[2]string]bool{}}
	one, two := &fact{form: strings.Join(bagA, " ")}, &fact{form: strings.Join(bagB, " ")}
	if n := testing.AllocsPerRun(10, func() { c.compareWords(one, two, bagA, bagB) }); n > 0 {
		t.Errorf("comparing the words allocates %.0f times", n)
	}
	f, g := readSubject(a), readSubject(b)
	if n := testing.AllocsPerRun(10, func() { f.closeness(g) }); n > 0 {
		t.Errorf("comparing the subjects allocates %.0f times", n)
	}
	if score := f.closeness(g); score == 0 || score >= leastClose || len(c.plan.possible) > 0 {
		t.Errorf("they are not apart: %v, %v", score, c.plan.possible)
	}
}

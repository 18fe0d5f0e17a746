package rank

import (
	"slices"
	"strings"
	"testing"

	"agentflow/index/stems"
)

func asked(p Plan) string {
	var list []string
	for _, t := range p.Used() {
		list = append(list, t.Text)
	}
	return strings.Join(list, " ")
}

// TestCommonTermsTellNothing: they are looked up, and are evidence only where
// nothing else is.
func TestCommonTermsTellNothing(t *testing.T) {
	terms := []Term{{Text: "rare", DF: 3}, {Text: "common", DF: 400}, {Text: "none"}}
	p := Choose(terms, 1000, Default())
	if asked(p) != "rare common" || p.Terms[1].tells != 0 || p.Terms[0].tells <= 0 {
		t.Errorf("asked for %s", asked(p))
	}
	p = Choose([]Term{{Text: "common", DF: 400}, {Text: "none"}}, 1000, Default())
	if asked(p) != "common" || p.Terms[0].tells <= 0 {
		t.Errorf("alone: asked for %s, which tells %v", asked(p), p.Terms[0].tells)
	}
	p = Choose([]Term{{Text: "a", DF: 1}, {Text: "b", DF: 2}}, 3, Default())
	if asked(p) != "a b" {
		t.Errorf("small store: asked for %s", asked(p))
	}
	p = Choose([]Term{{Text: "a", DF: 9000}, {Text: "b", DF: 9000}, {Text: "c", DF: 500}}, 100_000, Default())
	if asked(p) != "a c" {
		t.Errorf("budget: asked for %s", asked(p))
	}
}

func TestLongQuery(t *testing.T) {
	terms := Terms(Beginning("title word\n"+strings.Repeat("filler ", 200)+"needle", 600))
	if slices.ContainsFunc(terms, func(t Term) bool { return t.Text == "needle" }) {
		t.Error("the end of a long prompt counts")
	}
}

// TestEvidence checks the factors that raise the evidence.
func TestEvidence(t *testing.T) {
	of := func(query, shared int) float64 {
		p := Plan{tells: float64(query)}
		return p.evidence(shared, float64(shared))
	}
	if of(1, 1) != 2 || of(0, 0) != 0 {
		t.Errorf("one word that is all: %v; nothing: %v", of(1, 1), of(0, 0))
	}
	if !(of(4, 2) > of(4, 1) && of(2, 1) > of(4, 1) && of(8, 4) > of(4, 2)) {
		t.Error("more words, or more of the query, are not more evidence")
	}
	large, small := telling{1000, 150}, telling{5, 50}
	if !(large.of(1) == 1 && large.of(100) < large.of(10) && large.of(0) > 1 && large.of(200) == 0 && small.of(2) > 0.7) {
		t.Errorf("telling: %v %v %v %v %v", large.of(100), large.of(10), large.of(0), large.of(200), small.of(2))
	}
}

// judgedTask returns one judgement of entry "a".
func judgedTask(task string) Judgements {
	js := Judgements{Tasks: map[string][][]byte{}, IDF: map[uint32]float64{}, Useless: 0.5}
	js.add("a", task)
	return js
}

func (js Judgements) add(entry, task string) {
	var t stems.Set
	for _, k := range Terms(task) {
		t.Add(k.Hash)
		js.IDF[k.Hash] = 1
	}
	js.Tasks[entry] = append(js.Tasks[entry], t.Pack())
}

// weightOf takes every word of the query for as telling as any other.
func (js Judgements) weightOf(query, entry string) float64 {
	list := Terms(query)
	for _, t := range list {
		js.IDF[t.Hash] = 1
	}
	return js.Weight(list, entry)
}

func TestJudgementWeight(t *testing.T) {
	const task = "Fix the flaky login test"
	for query, want := range map[string]float64{
		task:                                     0.5,
		"fixing flaky tests of the login page":   0.5,
		"flaky login":                            0.5,
		"login":                                  1,
		"rotate the signing keys":                1,
		"login page shows two buttons on phones": 1,
		"":                                       1,
	} {
		if got := judgedTask(task).weightOf(query, "a"); got != want {
			t.Errorf("%q: %v, want %v", query, got, want)
		}
	}
	js := judgedTask(task)
	if got := js.weightOf(task, "b"); got != 1 {
		t.Errorf("another entry weighs %v", got)
	}
	js.add("a", "fix flaky login tests")
	js.add("a", "rotate keys")
	if got := js.weightOf(task, "a"); got != 0.25 {
		t.Errorf("judged twice %v", got)
	}
}

func TestGone(t *testing.T) {
	gone := allGone(func(c string) bool { return c == "here" })
	for commits, want := range map[string]bool{"": false, "away": true, "away,here": false} {
		list := strings.FieldsFunc(commits, func(r rune) bool { return r == ',' })
		if gone(list) != want {
			t.Errorf("commits %q: gone is not %v", commits, want)
		}
	}
}

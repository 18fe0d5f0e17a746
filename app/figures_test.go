//go:build !race

// The race detector makes this ten times slower; what runs at once here is
// tested under it in package eval.

package app

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"runtime"
	"slices"
	"testing"

	"agentflow/embed"
	"agentflow/eval"
)

var updateFigures = flag.Bool("update", false, "write testdata/search/figures.json as recall is now")

const (
	searchSet   = "../testdata/search/"
	figuresFile = searchSet + "figures.json"
)

// What a figure may do before the test speaks: a loss is a defect; a gain is
// to be written down, so that it cannot be lost again unseen.
const (
	mayLose = 0.005
	mayGain = 0.02
)

// worse holds the figures that are better when they are lower, and how much
// of each weighs as much as a share of 1.
var worse = map[string]float64{
	"queries.false_injection_rate": 1, "queries.injected_hits": 5, "cochange.paths_named": 10,
}

// TestFigures measures recall on the checked-in memory, with and without
// vectors, and compares with the checked-in figures.
func TestFigures(t *testing.T) {
	now := map[string]map[string]float64{}
	for _, provider := range []string{"none", "local"} {
		now[provider] = measureSet(t, provider)
	}
	if *updateFigures {
		text, err := json.MarshalIndent(now, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(figuresFile, append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(figuresFile)
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]map[string]float64
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	for _, provider := range slices.Sorted(maps.Keys(now)) {
		for _, line := range compareFigures(now[provider], want[provider]) {
			t.Errorf("%s: %s", provider, line)
		}
	}
	if t.Failed() {
		t.Log("if this is meant: go test ./cmd/agentflow -run TestFigures -update, and say in the commit why")
	}
}

// compareFigures says which figures have to be looked at.
func compareFigures(now, want map[string]float64) []string {
	var out []string
	names := maps.Clone(want)
	maps.Copy(names, now)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		have, measured := now[name]
		was, known := want[name]
		better := have - was
		if scale, ok := worse[name]; ok {
			better = -better / scale
		}
		switch {
		case !measured || !known:
			out = append(out, name+" is only on one side")
		case better < -mayLose:
			out = append(out, fmt.Sprintf("%s is worse: it was %v, it is %v", name, was, have))
		case better > mayGain:
			out = append(out, fmt.Sprintf("%s is better: it was %v, it is %v", name, was, have))
		}
	}
	return out
}

// measureSet takes all figures of the checked-in set, to four places.
func measureSet(t *testing.T, provider string) map[string]float64 {
	t.Helper()
	e, err := embed.New(embed.Options{Provider: provider})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	add := func(prefix string, figures ...eval.Figure) {
		for _, f := range figures {
			out[prefix+f.Name] = math.Round(f.Value*1e4) / 1e4
		}
	}
	cochange, queries, err := measureBoth(t.Context(), measuring(e))
	if err != nil {
		t.Fatal(err)
	}
	add("cochange.", cochange.Named(3)...)
	add("queries.gated.", queries.Gated.Named()...)
	add("queries.ungated.", queries.Ungated.Named()...)
	add("queries.", eval.Figure{Name: "false_injection_rate", Value: queries.FalseInjection}, eval.Figure{Name: "injected_hits", Value: queries.Injected})
	return out
}

func measureBoth(ctx context.Context, open eval.Opener) (c eval.CochangeFigures, q eval.QueryFigures, err error) {
	history, err := eval.ReadLog(searchSet + "history.jsonl")
	if err != nil {
		return c, q, err
	}
	list, err := eval.Cochange(ctx, []eval.History{history}, eval.CochangeOptions{Open: open, Last: 100, Parallel: runtime.GOMAXPROCS(0)})
	if err != nil {
		return c, q, err
	}
	questions, err := eval.ReadQuestions(searchSet + "queries.jsonl")
	if err != nil {
		return c, q, err
	}
	q, err = eval.Queries(ctx, searchSet+"memory", questions, eval.QueryOptions{Open: open})
	return list[0], q, err
}

func TestCompareFigures(t *testing.T) {
	want := map[string]float64{"queries.gated.mrr": 0.5, "cochange.paths_named": 8, "queries.false_injection_rate": 0.1}
	for name, c := range map[string]struct {
		figure string
		now    float64
		speaks bool
	}{
		"as it was":          {"queries.gated.mrr", 0.5, false},
		"a little worse":     {"queries.gated.mrr", 0.4951, false},
		"worse":              {"queries.gated.mrr", 0.494, true},
		"a little better":    {"queries.gated.mrr", 0.519, false},
		"better":             {"queries.gated.mrr", 0.521, true},
		"more is injected":   {"queries.false_injection_rate", 0.11, true},
		"less is injected":   {"queries.false_injection_rate", 0.09, false},
		"much less":          {"queries.false_injection_rate", 0.07, true},
		"a few more paths":   {"cochange.paths_named", 8.04, false},
		"more paths":         {"cochange.paths_named", 8.06, true},
		"a figure not known": {"queries.new", 1, true},
	} {
		now := maps.Clone(want)
		now[c.figure] = c.now
		if got := compareFigures(now, want); (len(got) > 0) != c.speaks {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := compareFigures(nil, want); len(got) != len(want) {
		t.Errorf("with nothing measured: %q", got)
	}
}

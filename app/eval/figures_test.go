//go:build !race

// The race detector makes this ten times slower. Package eval tests the concurrent parts under it.

package eval_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"runtime"
	"slices"
	"testing"

	appeval "agentflow/app/eval"
	"agentflow/embed"
	"agentflow/internal/eval"
	"agentflow/internal/testing/apptest"
)

var updateFigures = flag.Bool("update", false, "write testdata/search/figures.json as recall is now")

const (
	searchSet   = "../../testdata/search/"
	figuresFile = searchSet + "figures.json"
)

// How far a figure may change before the test fails. A loss is a defect. A gain must be recorded, so that a later loss
// of it is noticed.
const (
	mayLose = 0.005
	mayGain = 0.02
)

// worse holds the figures that are better when they are lower, and the amount of each that counts as much as a share of
// 1.
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
		t.Log("if this is meant: go test ./app -run TestFigures -update, and say in the commit why")
	}
}

// compareFigures lists the figures that changed too much.
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

// measureSet measures all figures of the checked-in set, rounded to four places.
func measureSet(t *testing.T, provider string) map[string]float64 {
	t.Helper()
	out := maps.Clone(queriesMeasured(t, provider))
	history := apptest.Must(eval.ReadLog(searchSet + "history.jsonl"))(t)
	options := eval.CochangeOptions{Open: opener(t, provider), Last: 100, Parallel: runtime.GOMAXPROCS(0)}
	for _, f := range apptest.Must(eval.Cochange(t.Context(), []eval.History{history}, options))(t)[0].Named(3) {
		out["cochange."+f.Name] = f.Value
	}
	for name, value := range out {
		out[name] = math.Round(value*1e4) / 1e4
	}
	return out
}

func opener(t *testing.T, provider string) eval.Opener {
	t.Helper()
	return appeval.Measuring(apptest.Must(embed.New(embed.Options{Provider: provider}))(t), nil)
}

// queryFigures caches the figures of the checked-in questions, by provider, for two tests.
var queryFigures = map[string]map[string]float64{}

func queriesMeasured(t *testing.T, provider string) map[string]float64 {
	t.Helper()
	if queryFigures[provider] == nil {
		queryFigures[provider] = measureQueries(t, provider, searchSet+"memory", apptest.Must(eval.ReadQuestions(searchSet+"queries.jsonl"))(t))
	}
	return queryFigures[provider]
}

// measureQueries runs the questions against the memory in a folder.
func measureQueries(t *testing.T, provider, dir string, questions []eval.Question) map[string]float64 {
	t.Helper()
	f := apptest.Must(eval.Queries(t.Context(), dir, questions, eval.QueryOptions{Open: opener(t, provider)}))(t)
	out := map[string]float64{"queries.false_injection_rate": f.FalseInjection, "queries.injected_hits": f.Injected}
	for _, figure := range f.Gated.Named() {
		out["queries.gated."+figure.Name] = figure.Value
	}
	for _, figure := range f.Ungated.Named() {
		out["queries.ungated."+figure.Name] = figure.Value
	}
	return out
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

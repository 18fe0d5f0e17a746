package factfit

import (
	"math"
	"os"
	"sync"
	"testing"

	"agentflow/index/factrank"
	"agentflow/internal/eval/factset"
)

// fitted fits once for all tests.
var fitted = sync.OnceValue(func() (r struct {
	sets    []*factset.Set
	all     *factrank.Weights
	without []*factrank.Weights
}) {
	sets, err := factset.LoadAll("../../../testdata/facts/fit")
	if err != nil {
		panic(err)
	}
	r.sets = sets
	r.all, r.without = Fit(sets)
	return r
})

// TestFigures holds the figures of the matcher on repositories that it was not fitted to:
// they may only rise.
func TestFigures(t *testing.T) {
	f := fitted()
	rows := Compare(f.sets, f.without)
	for size, least := range map[int]map[factset.TaskKind]float64{
		30:  {"": 0.98, factset.Direct: 0.98, factset.Paraphrase: 0.98, factset.Implied: 0.98},
		120: {"": 0.815, factset.Direct: 0.91, factset.Paraphrase: 0.72, factset.Implied: 0.77},
		400: {"": 0.585, factset.Direct: 0.785, factset.Paraphrase: 0.36, factset.Implied: 0.525},
	} {
		mean, rival := Mean(rows, size, "matcher"), Mean(rows, size, "BM25")
		for kind, want := range least {
			if mean[kind] < want || mean[kind] < rival[kind] {
				t.Errorf("%d facts, %q tasks: %.3f, want %.3f and no less than BM25's %.3f", size, kind, mean[kind], want, rival[kind])
			}
		}
	}
	if t.Failed() {
		Print(os.Stderr, rows)
	}
}

// TestForeign: prompts about something else add no facts to those shown at the start of a
// session.
func TestForeign(t *testing.T) {
	f := fitted()
	sum, n := 0.0, 0.0
	for i, s := range f.sets {
		if len(s.Facts) >= Large {
			m := Of(s, len(s.Facts))
			sum += m.Add(f.without[i].New(m.Facts)).Foreign
			n++
		}
	}
	if sum/n > 0.05 {
		t.Errorf("facts are added to %.3f of foreign tasks", sum/n)
	}
}

// TestFitted: the weights in use are the result of fitting the sets.
func TestFitted(t *testing.T) {
	in, want := factrank.Default(), fitted().all
	if math.Abs(in.Gate-want.Gate) > 0.01 {
		t.Errorf("gate %.4f, want %.4f: run go run ./testdata/factfit", in.Gate, want.Gate)
	}
	for name, pair := range map[string][2]factrank.Model{"own": {in.Own, want.Own}, "needed": {in.Needed, want.Needed}} {
		if len(pair[0]) != len(pair[1]) {
			t.Fatalf("%s: %d weights, want %d: run go run ./testdata/factfit", name, len(pair[0]), len(pair[1]))
		}
		for i := range pair[0] {
			if math.Abs(pair[0][i]-pair[1][i]) > 0.02 {
				t.Errorf("%s: weight %d is %v, want %.3f: run go run ./testdata/factfit", name, i, pair[0][i], pair[1][i])
			}
		}
	}
}

package randomtest_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"agentflow/internal/testing/randomtest"
)

// failVar makes TestFails fail, in a separate process.
const failVar = "RANDOMTEST_FAILS"

func draw(t *testing.T, cases int) (list []uint64) {
	randomtest.Check(t, cases, func(_ *testing.T, rnd *rand.Rand) { list = append(list, rnd.Uint64()) })
	return list
}

func TestSeedRepeatsTheCases(t *testing.T) {
	t.Setenv(randomtest.SeedVar, "")
	free := draw(t, 100)
	t.Setenv(randomtest.SeedVar, "7")
	seven := draw(t, 100)
	again := draw(t, 200)
	slices.Sort(free)
	if len(slices.Compact(free)) != 100 || slices.Contains(free, seven[0]) {
		t.Error("cases repeat without a seed")
	}
	if len(seven) != 100 || !slices.Equal(again[:100], seven) {
		t.Error("cases of one seed differ")
	}
}

func TestFails(t *testing.T) {
	if how := os.Getenv(failVar); how != "" {
		n := 0
		randomtest.Check(t, 10, func(t *testing.T, _ *rand.Rand) {
			if n++; n < 4 {
				return
			}
			switch how {
			case "error":
				t.Error("wrong")
			case "fatal":
				t.Fatal("wrong")
			default:
				panic("wrong")
			}
		})
		return
	}
	for _, how := range []string{"error", "fatal", "panic"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestFails$")
		cmd.Env = append(os.Environ(), failVar+"="+how, randomtest.SeedVar+"=42")
		out, err := cmd.CombinedOutput()
		if err == nil || strings.Count(string(out), "wrong") == 0 || !strings.Contains(string(out), "case 3 of seed 42; AGENTFLOW_SEED=42 repeats it") {
			t.Errorf("%s: %v: %s", how, err, out)
		}
	}
}

func TestPicks(t *testing.T) {
	lengths, values := map[int]bool{}, map[string]bool{}
	randomtest.Check(t, 1000, func(_ *testing.T, rnd *rand.Rand) {
		list := randomtest.Picks(rnd, 1, 3, "a", "b")
		lengths[len(list)] = true
		for _, s := range list {
			values[s] = true
		}
	})
	if len(lengths) != 3 || lengths[0] || lengths[4] || len(values) != 2 {
		t.Errorf("lengths %v, values %v", lengths, values)
	}
}

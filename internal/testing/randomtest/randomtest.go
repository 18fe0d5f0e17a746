// Package randomtest checks a property with many random cases.
//
// A case depends only on the seed and its number. The seed differs each time,
// so that several runs together cover more cases. When a case fails, the seed
// is logged, and setting AGENTFLOW_SEED to it repeats all cases. A failing case
// is not reduced, so properties should log their inputs.
package randomtest

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// CasesVar is the environment variable that sets the number of cases which take
// seconds each.
const CasesVar = "AGENTFLOW_CASES"

// Cases returns the number of cases for a test whose cases take seconds each:
// CasesVar, or n.
func Cases(t *testing.T, n int) int {
	t.Helper()
	text := os.Getenv(CasesVar)
	if text == "" {
		return n
	}
	cases, err := strconv.Atoi(text)
	if err != nil || cases < 1 {
		t.Fatalf("%s is %q", CasesVar, text)
	}
	return cases
}

// SeedVar is the environment variable that sets the seed, a decimal uint64.
const SeedVar = "AGENTFLOW_SEED"

// Check calls property for cases numbered from 0, each with a separate random
// source, and stops at the first that fails the test, ends it or panics.
func Check(t *testing.T, cases int, property func(t *testing.T, rnd *rand.Rand)) {
	t.Helper()
	seed := seedOf(t)
	number, passed := 0, false
	defer func() {
		if !passed {
			t.Logf("case %d of seed %d; %s=%d repeats it", number, seed, SeedVar, seed)
		}
	}()
	for number = range cases {
		property(t, rand.New(rand.NewPCG(seed, uint64(number)))) //nolint:gosec // cases of a test, no secrets
		if t.Failed() {
			return
		}
	}
	passed = true
}

func seedOf(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv(SeedVar)
	if text == "" {
		return rand.Uint64() >> 32 // short enough to type
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("reading %s: %v", SeedVar, err)
	}
	return seed
}

// Pick returns one of the values with equal probability.
func Pick[T any](rnd *rand.Rand, values ...T) T { return values[rnd.IntN(len(values))] }

// Picks returns from least to most values, picked independently. Every length
// has equal probability.
func Picks[T any](rnd *rand.Rand, least, most int, values ...T) []T {
	list := make([]T, least+rnd.IntN(most-least+1))
	for i := range list {
		list[i] = Pick(rnd, values...)
	}
	return list
}

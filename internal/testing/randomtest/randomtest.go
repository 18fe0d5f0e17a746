// Package randomtest holds a property to many random cases.
//
// A case is a function of the seed and its number alone. The seed is another
// one each time, so that runs together see more than one does; when a case
// fails it is logged, and AGENTFLOW_SEED set to it repeats all cases. A
// failing case is not made smaller: properties say what they were given.
package randomtest

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// SeedVar names the environment variable that sets the seed, a decimal
// uint64.
const SeedVar = "AGENTFLOW_SEED"

// Check calls property for cases numbered from 0, each with a source of its
// own, and stops at the first that fails the test, ends it or panics.
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

// Pick returns one of the values, each as likely as any other.
func Pick[T any](rnd *rand.Rand, values ...T) T { return values[rnd.IntN(len(values))] }

// Picks returns from least to most values, each picked by itself. Every
// length is as likely as any other.
func Picks[T any](rnd *rand.Rand, least, most int, values ...T) []T {
	list := make([]T, least+rnd.IntN(most-least+1))
	for i := range list {
		list[i] = Pick(rnd, values...)
	}
	return list
}

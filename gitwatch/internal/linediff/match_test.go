package linediff

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// checkMatch reports errors in the pairs of two texts: they must be equal lines, in order, and as
// many as a shortest diff leaves.
func checkMatch(a, b string) error {
	x, y := numberLines(ended([]byte(a)), ended([]byte(b)))
	match := Match([]byte(a), []byte(b))
	if len(match) != len(y) {
		return fmt.Errorf("%d lines, want %d", len(match), len(y))
	}
	last, pairs := -1, 0
	for j, i := range match {
		if i < 0 {
			continue
		}
		if i <= last || x[i] != y[j] {
			return fmt.Errorf("line %d of b is paired with line %d of a, after line %d", j, i, last)
		}
		last, pairs = i, pairs+1
	}
	if added, _ := Count(ended([]byte(a)), ended([]byte(b))); len(y)-pairs != added {
		return fmt.Errorf("%d pairs leave %d lines added, want %d", pairs, len(y)-pairs, added)
	}
	return nil
}

func TestMatch(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"", "", "[]"},
		{"", "a\n", "[-1]"},
		{"a\n", "", "[]"},
		{"a\nb\nc\n", "a\nb\nc\n", "[0 1 2]"},
		{"a\nb\nc", "a\r\nb\r\nc\r\n", "[0 1 2]"},
		{"a\nb\nc\n", "b\nc\na\n", "[1 2 -1]"},
		{"a\nb\nc\nd\n", "a\nx\nc\ny\nd\n", "[0 -1 2 -1 3]"},
		{"x\na\nx\n", "x\nx\n", "[0 2]"},
	} {
		if got := fmt.Sprint(Match([]byte(c.a), []byte(c.b))); got != c.want {
			t.Errorf("%q, %q: %s, want %s", c.a, c.b, got, c.want)
		}
	}
}

// TestMatchRandom: pairs of random texts are as many as they can be.
func TestMatchRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		var a, b strings.Builder
		for range random.IntN(40) {
			fmt.Fprintln(&a, random.IntN(6))
		}
		for range random.IntN(40) {
			fmt.Fprintln(&b, random.IntN(6))
		}
		if err := checkMatch(a.String(), b.String()); err != nil {
			t.Fatalf("%q, %q: %v", a.String(), b.String(), err)
		}
	}
}

// TestMatchLarge: texts that have little in common take a bounded time, and their pairs
// are still equal lines in order.
func TestMatchLarge(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	text := func() []byte {
		var b bytes.Buffer
		for range 20_000 {
			fmt.Fprintln(&b, random.IntN(50))
		}
		return b.Bytes()
	}
	a, b := text(), text()
	x, y := numberLines(a, b)
	last := -1
	for j, i := range Match(a, b) {
		if i >= 0 && (i <= last || x[i] != y[j]) {
			t.Fatalf("line %d is paired with line %d after %d", j, i, last)
		}
		last = max(last, i)
	}
	if last < len(x)/2 {
		t.Errorf("the last pair is line %d", last)
	}
}

func FuzzMatch(f *testing.F) {
	f.Add("a\nb\n", "b\r\na")
	f.Fuzz(func(t *testing.T, a, b string) {
		if err := checkMatch(a, b); err != nil {
			t.Fatal(err)
		}
	})
}

package stems

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestBucket compares a bucket with a map under random changes.
func TestBucket(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	want := map[uint32]int64{}
	var b Bucket
	for range 300 {
		changes := map[uint32]int64{}
		for range rng.IntN(20) {
			h := rng.Uint32N(60)
			by := max(rng.Int64N(5)-2, -want[h])
			changes[h] += by
			want[h] += by
		}
		b = b.Plus(slices.Sorted(maps.Keys(changes)), changes)
		if err := b.Check(); err != nil {
			t.Fatal(err)
		}
		held := 0
		for h := range uint32(61) {
			if got := b.Count(h); got != int(want[h]) {
				t.Fatalf("stem %d: %d, want %d", h, got, want[h])
			}
			if want[h] > 0 {
				held++
			}
		}
		if len(b) != held*recordSize {
			t.Fatalf("%d bytes for %d stems", len(b), held)
		}
	}
}

// TestSet checks that a packed set has the stems of a text and no others.
func TestSet(t *testing.T) {
	packed := Of("Fixing the flaky tests, fixing them again")
	var want []uint32
	for _, stem := range []string{"fix", "flaki", "test"} {
		want = append(want, Hash(stem))
		if !Has(packed, Hash(stem)) {
			t.Errorf("%s is missing", stem)
		}
	}
	slices.Sort(want)
	if got := slices.Collect(All(packed)); !slices.Equal(got, want) || Has(packed, Hash("login")) {
		t.Errorf("%v, want %v", got, want)
	}
}

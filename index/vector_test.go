package index

import (
	"bytes"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func randomUnit(rng *rand.Rand, size int) []float32 {
	v := make([]float32, size)
	for i := range v {
		v[i] = float32(rng.NormFloat64())
	}
	return unit(v)
}

func dot(a, b []float32) float64 {
	sum := 0.0
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}

// TestPackVector holds the rounding error that packVector's comment tells.
func TestPackVector(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	worst := 0.0
	for range 2000 {
		a, b := randomUnit(rng, 256), randomUnit(rng, 256)
		packed := packVector(b)
		back, ok := unpackVector(packed)
		if !ok || len(packed) != scaleSize+256 {
			t.Fatalf("unpacking %d bytes: %v", len(packed), ok)
		}
		for i := range b {
			if d := math.Abs(float64(b[i] - back[i])); d > float64(slices.Max(b)-slices.Min(b))/254 {
				t.Fatalf("a number is off by %g", d)
			}
		}
		worst = max(worst, math.Abs(cosine(a, packed)-dot(a, b)))
	}
	if worst > 0.005 || worst == 0 {
		t.Errorf("a cosine is off by %g", worst)
	}
}

func TestCheckVector(t *testing.T) {
	nan := float32(math.NaN())
	for name, c := range map[string]struct {
		v     []float32
		right bool
	}{
		"none": {nil, true}, "unit": {[]float32{0.6, 0.8}, true}, "short": {[]float32{1}, false}, "empty": {[]float32{}, false},
		"long": {[]float32{1, 0, 0}, false}, "not unit": {[]float32{1, 1}, false}, "zero": {[]float32{0, 0}, false}, "NaN": {[]float32{nan, 0}, false},
	} {
		if err := checkVector(c.v, 2); (err == nil) != c.right {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBlock compares a block with a map under random changes.
func TestBlock(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	b, want := &block{words: 2}, map[int][2]uint64{}
	for range 5000 {
		slot := rng.IntN(blockSize)
		_, had := want[slot]
		if rng.IntN(3) == 0 {
			if delete(want, slot); b.clear(slot) != had {
				t.Fatal("clear does not know what was there")
			}
			continue
		}
		v := [2]uint64{rng.Uint64(), rng.Uint64()}
		want[slot] = v
		if b.set(slot, v[:]) == had {
			t.Fatal("set does not know what was there")
		}
	}
	back := &block{words: 2}
	must(t, back.decode(b.encode()))
	if !slices.Equal(slices.Collect(back.slots()), slices.Sorted(maps.Keys(want))) {
		t.Fatal("other slots")
	}
	for slot, v := range want {
		if at, _ := back.find(slot); !slices.Equal(back.bits[at:at+2], v[:]) {
			t.Fatalf("slot %d has other bits", slot)
		}
	}
}

func FuzzBlock(f *testing.F) {
	b := &block{words: 1}
	f.Add(b.encode(), 1)
	b.set(5, []uint64{7})
	b.set(1023, []uint64{9})
	f.Add(b.encode(), 1)
	f.Add(b.encode(), 4)
	f.Add(b.encode()[:100], 1)
	f.Fuzz(func(t *testing.T, raw []byte, words int) {
		b := &block{words: words&7 + 1}
		if len(raw) >= blockHead { // else the sum keeps everything out
			raw = slices.Clone(raw)
			sealBlock(raw)
		}
		if b.decode(raw) != nil {
			return
		}
		if !bytes.Equal(b.encode(), raw) {
			t.Fatal("encodes to something else")
		}
		for slot, v := range b.vectors() {
			if at, ok := b.find(slot); !ok || !slices.Equal(v, b.bits[at:at+b.words]) {
				t.Fatalf("slot %d has other bits", slot)
			}
		}
	})
}

// TestBits holds that the share of bits that differ tells the angle, also of
// vectors with few numbers that are not 0, and that 100 is no power of two.
func TestBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, size := range []int{1, 100, 256, 384} {
		s := newSigns(size)
		off := 0.0
		for range 200 {
			a, b := randomUnit(rng, size), randomUnit(rng, size)
			for i := range a {
				if i%8 != 0 {
					a[i] = 0
				}
				b[i] += float32(rng.IntN(4)) * a[i]
			}
			unit(a)
			unit(b)
			distance := differing(s.of(a), s.of(b))
			off += math.Abs(float64(distance)/float64(64*s.words()) - math.Acos(max(-1, min(1, dot(a, b))))/math.Pi)
		}
		if limit := 1.2 / math.Sqrt(float64(64*s.words())); size > 1 && off/200 > limit {
			t.Errorf("%d dimensions: off by %.3f", size, off/200)
		}
	}
}

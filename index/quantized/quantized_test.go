package quantized

import (
	"bytes"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func unit(v []float32) []float32 {
	length := float32(math.Sqrt(dot(v, v)))
	for i := range v {
		v[i] /= length
	}
	return v
}

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

// TestPack checks the rounding error that the comment on Pack states.
func TestPack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	worst := 0.0
	for range 2000 {
		a, b := randomUnit(rng, 256), randomUnit(rng, 256)
		packed := Pack(b)
		back, ok := Unpack(packed)
		if !ok || len(packed) != Size(256) || Dimensions(packed) != 256 {
			t.Fatalf("unpacking %d bytes: %v", len(packed), ok)
		}
		for i := range b {
			if d := math.Abs(float64(b[i] - back[i])); d > float64(slices.Max(b)-slices.Min(b))/254 {
				t.Fatalf("a number is off by %g", d)
			}
		}
		worst = max(worst, math.Abs(Cosine(a, packed)-dot(a, b)))
	}
	if worst > 0.005 || worst == 0 {
		t.Errorf("a cosine is off by %g", worst)
	}
}

func TestCheck(t *testing.T) {
	nan := float32(math.NaN())
	for name, c := range map[string]struct {
		v     []float32
		right bool
	}{
		"none": {nil, true}, "unit": {[]float32{0.6, 0.8}, true}, "short": {[]float32{1}, false}, "empty": {[]float32{}, false},
		"long": {[]float32{1, 0, 0}, false}, "not unit": {[]float32{1, 1}, false}, "zero": {[]float32{0, 0}, false}, "NaN": {[]float32{nan, 0}, false},
	} {
		if err := Check(c.v, 2); (err == nil) != c.right {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBlock compares a block with a map under random changes.
func TestBlock(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	s := NewSigns(2)
	b, want := NewBlock(s), map[int][]byte{}
	for range 5000 {
		slot := rng.IntN(BlockSize)
		_, had := want[slot]
		if rng.IntN(3) == 0 {
			if delete(want, slot); b.Clear(slot) != had {
				t.Fatal("Clear does not know what was there")
			}
			continue
		}
		v := make([]byte, s.Width())
		for i := range v {
			v[i] = byte(rng.Uint32())
		}
		want[slot] = v
		if b.Set(slot, v) == had {
			t.Fatal("Set does not know what was there")
		}
	}
	back, err := ReadBlock(s, b.Encode())
	if err != nil {
		t.Fatal(err)
	}
	got := maps.Collect(back.All())
	if !maps.EqualFunc(got, want, bytes.Equal) || back.Len() != len(want) {
		t.Fatal("other vectors")
	}
	for slot := range BlockSize {
		if _, ok := want[slot]; back.Has(slot) != ok {
			t.Fatalf("slot %d: %v", slot, !ok)
		}
	}
}

func FuzzBlock(f *testing.F) {
	s := NewSigns(256)
	b := NewBlock(s)
	f.Add(slices.Clone(b.Encode()))
	b.Set(5, make([]byte, 32))
	b.Set(1023, bytes.Repeat([]byte{9}, 32))
	f.Add(slices.Clone(b.Encode()))
	f.Add(slices.Clone(b.Encode()[:100]))
	f.Fuzz(func(t *testing.T, raw []byte) {
		raw = slices.Clone(raw)
		if len(raw) >= blockHead { // else the sum keeps everything out
			(&Block{raw: raw}).Encode()
		}
		b, err := ReadBlock(s, raw)
		if err != nil {
			return
		}
		again := NewBlock(s)
		for slot, v := range b.All() {
			if !b.Has(slot) || !again.Set(slot, v) {
				t.Fatalf("slot %d has no bits, or twice", slot)
			}
		}
		if !bytes.Equal(again.Encode(), raw) {
			t.Fatal("encodes to something else")
		}
	})
}

// TestBits checks that the share of differing bits measures the angle, also for
// vectors with few non-zero numbers and for a dimension of 100, which is no
// power of two. It also checks that an estimate orders vectors at least as well
// as the bits of both.
func TestBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, size := range []int{1, 100, 256, 384} {
		s := NewSigns(size)
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
			of, other := s.Of(a), s.Of(b)
			distance := 0
			for i := range of {
				for x := of[i] ^ other[i]; x != 0; x &= x - 1 {
					distance++
				}
			}
			off += math.Abs(float64(distance)/float64(8*s.Width()) - math.Acos(max(-1, min(1, dot(a, b))))/math.Pi)
			if q := s.Query(a); q.Estimate(of) < q.Estimate(other) {
				t.Errorf("%d dimensions: nearer to another than to itself", size)
			}
		}
		if limit := 1.2 / math.Sqrt(float64(8*s.Width())); size > 1 && off/200 > limit {
			t.Errorf("%d dimensions: off by %.3f", size, off/200)
		}
	}
}

// TestBest compares with sorting all.
func TestBest(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for _, n := range []int{1, 7, 50, 5000} {
		best := Best{Most: n}
		var all []Hit
		for chunk := range int64(3000) {
			h := Hit{chunk, float32(rng.IntN(60))}
			all = append(all, h)
			best.Add(h)
		}
		slices.SortFunc(all, func(a, b Hit) int {
			if a.Estimate != b.Estimate {
				return int(b.Estimate - a.Estimate)
			}
			return int(b.Chunk - a.Chunk)
		})
		if !slices.Equal(best.Hits, all[:min(n, len(all))]) {
			t.Errorf("%d: other hits", n)
		}
	}
}

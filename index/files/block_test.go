package files

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// some makes an entry from a number.
func some(rng *rand.Rand, id int64) Entry {
	e := Entry{ID: id, Date: 1_000_000 + id*60, Title: fmt.Sprintf("fix(parser): word%d of word%d", rng.IntN(20), rng.IntN(20))}
	for range 1 + rng.IntN(4) {
		e.Paths = append(e.Paths, fmt.Sprintf("dir%d/file_%d_test.go", rng.IntN(3), rng.IntN(15)))
	}
	return e
}

// TestBlock changes a Block at random, and compares it with one that was never
// anything else.
func TestBlock(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	b, want := NewBlock(), map[int64]Entry{}
	for range 400 {
		id := rng.Int64N(60)
		if _, known := want[id]; known {
			if !b.Remove(id) || b.Remove(id) {
				t.Fatalf("removing %d", id)
			}
			delete(want, id)
		} else {
			want[id] = some(rng, id)
			b.Add(want[id])
		}
		read, err := ReadBlock(b.Encode())
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(described(read), described(made(want))) {
			t.Fatalf("%v\nwant %v", described(read), described(made(want)))
		}
		b = read
	}
}

func made(entries map[int64]Entry) *Block {
	b := NewBlock()
	for _, e := range entries {
		b.Add(e)
	}
	return b
}

// described returns a Block's records with the names of their paths, and the number of
// paths that it keeps after encoding.
func described(b *Block) any {
	b.drop()
	type entry struct {
		r     record
		paths []pathRecord
	}
	var list []entry
	for _, r := range b.records {
		e := entry{r: r}
		for _, n := range r.paths {
			e.paths = append(e.paths, b.paths[n])
		}
		e.r.paths = nil
		list = append(list, e)
	}
	return []any{list, len(b.paths)}
}

func TestNewest(t *testing.T) {
	b := NewBlock()
	b.Add(Entry{ID: 1, Date: 30, Paths: []string{"a"}})
	b.Add(Entry{ID: 2, Date: 20, Paths: []string{"a"}})
	if b.Newest() != 30 || b.Len() != 2 {
		t.Errorf("%d of %d", b.Newest(), b.Len())
	}
}

func TestOpened(t *testing.T) {
	type pair struct{ kind, scope uint32 }
	of := func(title string) pair { k, s := opened(title); return pair{k, s} }
	if of("fix(parser): x").scope != of("feat(Parser)!: y").scope || of("fix(parser): x").kind == of("feat(parser): x").kind {
		t.Error("type and scope")
	}
	if p := of("net/http: x"); p.kind == 0 || p.kind != p.scope {
		t.Error("a scope alone")
	}
	for _, title := range []string{"Fix the parser", "", "http://x", "see this: no"} {
		if of(title) != (pair{}) {
			t.Errorf("%q begins with something", title)
		}
	}
}

func TestKindOf(t *testing.T) {
	kind := func(name string) uint32 { return newPath(name).kind }
	if kind("a/x.go") != kind("b/y.go") || kind("x.go") == kind("x.md") || kind("x_test.go") == kind("x.go") || kind("x_test.go") != kind("y_test.go") ||
		kind("test_x.py") == kind("x.py") || kind("a.spec.ts") == kind("a.ts") {
		t.Error("kinds of files")
	}
}

// FuzzBlock checks that no bytes break the reading of a Block, and that a Block that was
// read is written with the same bytes.
func FuzzBlock(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 2))
	f.Add(made(map[int64]Entry{1: some(rng, 1), 2: some(rng, 2)}).Encode())
	f.Add(NewBlock().Encode())
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := ReadBlock(data)
		w, windowErr := ReadWindow(task("x"), [][]byte{data}, 10)
		if (err == nil) != (windowErr == nil) {
			t.Fatalf("block: %v, window: %v", err, windowErr)
		}
		if err != nil {
			return
		}
		if len(w.entries) != min(10, b.Len()) {
			t.Fatalf("%d of %d entries", len(w.entries), b.Len())
		}
		again, err := ReadBlock(b.Encode())
		if err != nil || len(again.records) != len(b.records) || !slices.EqualFunc(again.records, b.records, func(x, y record) bool { return x.id == y.id && x.date == y.date }) {
			t.Fatalf("written and read: %v", err)
		}
	})
}

package contents

import (
	"slices"
	"strings"
	"testing"

	"agentflow/index/stems"
	"agentflow/internal/words"
)

func hash(word string) uint32 { return stems.Hash(words.Stem(word)) }

func TestOf(t *testing.T) {
	d := Of([]byte("package auth\n\n// parseHeader reads.\nfunc ParseHeader(line string) error {\n\treturn x.expired_at\n}\nkey := \"a1b2c3d4e5f60718293a\"\n"))
	for _, word := range []string{"parseheader", "parse", "header", "auth", "expired_at", "expired", "line"} {
		if !slices.Contains(d.Held, hash(word)) {
			t.Errorf("%s is not held", word)
		}
	}
	for _, word := range []string{"parseheader", "parse", "header"} {
		if !slices.Contains(d.Defined, hash(word)) {
			t.Errorf("%s is not defined", word)
		}
	}
	for _, word := range []string{"x", "at", "a1b2c3d4e5f60718293a", "the"} {
		if slices.Contains(d.Held, hash(word)) {
			t.Errorf("%s is held", word)
		}
	}
	if slices.Contains(d.Defined, hash("error")) || !slices.IsSorted(d.Held) || !slices.IsSorted(d.Defined) {
		t.Errorf("defined %v of %v", d.Defined, d.Held)
	}
}

// TestSymbols checks which identifiers a file defines, and that they are kept whole.
func TestSymbols(t *testing.T) {
	d := Of([]byte("func (t *Table) PutAll() {}\nLIMIT = 3\n  inner = 4\nif LIMIT == 3 {}\nclass _Private:\n  def half_life(self): pass\n"))
	for name, want := range map[string]bool{"PutAll": true, "Put": false, "Table": false, "LIMIT": true, "inner": false, "Private": true, "half_life": true, "half": false} {
		if slices.Contains(d.Symbols, OfSymbol(name)) != want {
			t.Errorf("%s is defined: %v", name, !want)
		}
	}
	if !slices.Contains(d.Defined, hash("putall")) || slices.Contains(d.Defined, hash("table")) {
		t.Error("the receiver of a method is defined")
	}
}

// TestNamesOfFiles checks that a file is found by its name and as a module.
func TestNamesOfFiles(t *testing.T) {
	table := NewTable()
	table.Put("dask/array/core.py", Doc{})
	table.Put("dask/array/__init__.py", Doc{})
	found := table.Find([]uint32{OfBase("core.py"), OfModule("core"), OfModule("array"), OfBase("core")})
	if len(found.Paths) != 2 || len(found.Terms[0].Held) != 1 || len(found.Terms[1].Held) != 1 || len(found.Terms[2].Held) != 1 || len(found.Terms[3].Held) != 0 {
		t.Errorf("%+v", found)
	}
}

func TestOfBounds(t *testing.T) {
	if d := Of([]byte("some text\x00")); len(d.Held) != 0 {
		t.Error("a binary file holds something")
	}
	if d := Of([]byte(strings.Repeat(" ", MaxText) + "beyond")); len(d.Held) != 0 {
		t.Error("what stands beyond the beginning is held")
	}
}

func FuzzOf(f *testing.F) {
	f.Add([]byte("func ParseHeader() {}"))
	f.Add([]byte("def _x__y_(z): ümlaut"))
	f.Fuzz(func(t *testing.T, text []byte) {
		d := Of(text)
		for _, h := range d.Defined {
			if _, ok := slices.BinarySearch(d.Held, h); !ok {
				t.Fatal("a defined stem is not held")
			}
		}
	})
}

func TestTable(t *testing.T) {
	table := NewTable()
	table.Put("a.go", Doc{Held: []uint32{1, 2, 3}, Defined: []uint32{2}})
	table.Put("b.go", Doc{Held: []uint32{2}})
	table.Put("c.go", Doc{Held: []uint32{9}})
	table.Put("b.go", Doc{Held: []uint32{2, 4}})
	table.Remove("c.go")
	f := table.Find([]uint32{2, 4, 9})
	if f.Files != 2 || f.MeanHeld != 2.5 || f.MeanDefined != 0.5 || !slices.Equal(f.Paths, []string{"a.go", "b.go"}) ||
		!slices.Equal(f.Held, []int{3, 2}) || !slices.Equal(f.Defined, []int{1, 0}) {
		t.Errorf("%+v", f)
	}
	if !slices.Equal(f.Terms[0].Held, []int{0, 1}) || !slices.Equal(f.Terms[0].Defined, []int{0}) || !slices.Equal(f.Terms[1].Held, []int{1}) || f.Terms[2].Held != nil {
		t.Errorf("%+v", f.Terms)
	}
}

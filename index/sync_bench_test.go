package index

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// large returns an indexed memory of 100,000 entries in 2,000 files.
func large(b *testing.B) (notes, *DB) {
	s := newStore(b)
	corpus(b, s, 2000, 50)
	d := s.open(Options{})
	s.sync(d)
	return s, d
}

// BenchmarkSyncOneChanged measures the time until one changed entry of a memory
// of 100,000 can be found.
func BenchmarkSyncOneChanged(b *testing.B) {
	s, d := large(b)
	name := s.file("d01000.md")
	src, err := os.ReadFile(name)
	must(b, err)
	b.ResetTimer()
	for n := 0; b.Loop(); n++ {
		b.StopTimer()
		text := strings.Replace(string(src), "w1", fmt.Sprintf("changed%d", n), 1)
		must(b, os.WriteFile(name, []byte(text), 0o600))
		b.StartTimer()
		if r := s.sync(d); r.Changed != 1 || r.Chunks > 2 {
			b.Fatalf("%+v", r)
		}
	}
}

func BenchmarkSyncUnchangedLarge(b *testing.B) {
	s, d := large(b)
	b.ReportAllocs()
	for b.Loop() {
		s.sync(d)
	}
}

// BenchmarkSyncOneOfManyEntries changes one of 5,000 entries of a file.
func BenchmarkSyncOneOfManyEntries(b *testing.B) {
	s := newStore(b)
	corpus(b, s, 1, 5000)
	d := s.open(Options{})
	s.sync(d)
	name := s.file("d00000.md")
	src, err := os.ReadFile(name)
	must(b, err)
	b.ResetTimer()
	for n := 0; b.Loop(); n++ {
		b.StopTimer()
		text := strings.Replace(string(src), "w1", fmt.Sprintf("changed%d", n), 1)
		must(b, os.WriteFile(name, []byte(text), 0o600))
		b.StartTimer()
		if r := s.sync(d); r.Changed != 1 || r.Chunks > 2 {
			b.Fatalf("%+v", r)
		}
	}
}

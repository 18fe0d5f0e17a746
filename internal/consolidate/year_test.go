package consolidate

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/index"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/memory/retrieval"
)

// TestYear consolidates a generated year of 2,000 runs and 6,000 facts, and compares the result
// with the generated relations.
func TestYear(t *testing.T) {
	y := newYear(1, now, 6000)
	began := time.Now()
	after, r := planned(t, Input{Options: defaults, Files: y.files, Now: now})
	took := time.Since(began)
	holder := holders(after)
	y.checkSame(t, holder)
	y.checkKeys(t, holder)
	for id, text := range y.texts {
		f := holder[id]
		if f == nil {
			t.Fatalf("%s is lost: %s", id, text)
		}
		if f.ID == id && f.Text != text {
			t.Errorf("%s says %q, and said %q", id, f.Text, text)
		}
	}
	if size := sizeOf(after["MEMORY.md"]); size.lines > LoadedLines || size.bytes > LoadedBytes {
		t.Errorf("MEMORY.md has %d lines and %d bytes", size.lines, size.bytes)
	}
	y.checkReported(t, after)
	if len(r.Forget) > 0 {
		t.Errorf("%d are forgotten", len(r.Forget))
	}
	y.table(t, r, after, took)
}

// holders maps each id to the fact that has it, as its first id or merged.
func holders(files map[string][]byte) map[string]*memory.Fact {
	out := map[string]*memory.Fact{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		for _, b := range markdown.Parse(files[name]).Blocks {
			for i := range b.Facts {
				for _, id := range b.Facts[i].IDs() {
					out[id] = &b.Facts[i].Fact
				}
			}
		}
	}
	return out
}

// checkSame checks that facts that hold are merged if, and only if, they say the same.
func (y *year) checkSame(t *testing.T, holder map[string]*memory.Fact) {
	t.Helper()
	stays := map[int]string{}
	says := map[string]int{}
	for _, id := range slices.Sorted(maps.Keys(y.same)) {
		n, by := y.same[id], holder[id]
		if by == nil || y.gone[id] {
			continue
		}
		if other, ok := stays[n]; ok && other != by.ID {
			t.Errorf("not merged: %q", []string{y.texts[other], y.texts[id]})
		}
		if other, ok := says[by.ID]; ok && other != n {
			t.Errorf("merged, and not the same: %q", []string{y.texts[by.ID], y.texts[id]})
		}
		stays[n], says[by.ID] = by.ID, n
	}
}

// checkKeys checks that only the newest value of each key is live, and that the others point to
// a later one.
func (y *year) checkKeys(t *testing.T, holder map[string]*memory.Fact) {
	t.Helper()
	for key, ids := range y.keyed {
		last := ids[len(ids)-1]
		for _, id := range ids {
			f := holder[id]
			switch {
			case id == last && f.Struck:
				t.Errorf("%s: the newest is struck: %s", key, f.Text)
			case id != last && (!f.Struck || f.SupersededBy != last):
				t.Errorf("%s: an old value stands: %s", key, f.Text)
			}
		}
	}
}

// checkReported checks that facts that differ in a number, an identifier or a negation are
// reported as possible contradictions, in any number.
func (y *year) checkReported(t *testing.T, after map[string][]byte) {
	t.Helper()
	p := newPlan(Input{Options: defaults, Files: after, Now: now})
	p.gather()
	p.compare()
	told := map[string]bool{}
	for _, s := range p.possible {
		for _, id := range s.IDs {
			told[id] = true
		}
	}
	holder := holders(after)
	missed := 0
	for _, id := range y.near {
		if f := holder[id]; f.Live(now) && !told[f.ID] {
			missed++
			t.Logf("not reported: %s", f.Text)
		}
	}
	if missed > 0 {
		t.Errorf("%d of %d that come near another are not reported", missed, len(y.near))
	}
}

func (y *year) table(t *testing.T, r Result, after map[string][]byte, took time.Duration) {
	t.Helper()
	sum := map[string]int{}
	for _, a := range r.Actions {
		sum[string(a.Kind)]++
	}
	for _, p := range r.Possible {
		sum["possible "+string(p.Kind)]++
	}
	var lines []string
	for _, what := range slices.Sorted(maps.Keys(y.kinds)) {
		lines = append(lines, fmt.Sprintf("planted  %-30s %5d", what, y.kinds[what]))
	}
	for _, what := range slices.Sorted(maps.Keys(sum)) {
		lines = append(lines, fmt.Sprintf("found    %-30s %5d", what, sum[what]))
	}
	size := sizeOf(after["MEMORY.md"])
	lines = append(lines, fmt.Sprintf("more possible ones: %d; facts %d → %d; files %d → %d; MEMORY.md %d lines, %d bytes; planned twice in %s",
		r.More, len(y.texts), len(all(after)), len(y.files), len(after), size.lines, size.bytes, took.Round(time.Millisecond)))
	t.Log("\n" + strings.Join(lines, "\n"))
}

// TestYearIsFound searches for facts by their text, before and after. Each fact that was found
// before is found after, or the fact into which it was merged.
func TestYearIsFound(t *testing.T) {
	y := newYear(2, now, 1500)
	after, _ := planned(t, Input{Options: defaults, Files: y.files, Now: now})
	holder := holders(after)
	var sample []string
	for i, id := range slices.Sorted(maps.Keys(y.texts)) {
		if f := holder[id]; i%5 == 0 && !y.gone[id] && f.Live(now) {
			sample = append(sample, id)
		}
	}
	was, is := y.found(t, y.files, sample), y.found(t, after, sample)
	if len(was) < len(sample)*9/10 {
		t.Fatalf("before, only %d of %d are found", len(was), len(sample))
	}
	lost := 0
	for _, id := range sample {
		if was[id] && !is[id] {
			lost++
			t.Logf("not found any more: %s %s", id, y.texts[id])
		}
	}
	t.Logf("of %d facts %d were found before and %d after", len(sample), len(was), len(is))
	if lost > 0 {
		t.Errorf("%d facts are not found any more", lost)
	}
}

// found returns the ids of the facts that a search for their text finds.
func (y *year) found(t *testing.T, files map[string][]byte, ids []string) map[string]bool {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	db, err := index.Open(t.Context(), "", index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Sync(t.Context(), index.Source{Dir: dir, Prefix: "memory/"}); err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for _, id := range ids {
		hits, err := db.Search(t.Context(), retrieval.Query{Text: y.texts[id], Limit: 20, Now: now})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hits {
			for _, b := range markdown.Parse([]byte(h.Text)).Blocks {
				for _, f := range b.Facts {
					if f.Has(id) || memory.Same(f.Text) == memory.Same(y.texts[id]) {
						out[id] = true
					}
				}
			}
		}
	}
	return out
}

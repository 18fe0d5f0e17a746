package index

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"agentflow/index/sources"
	"agentflow/memory/digest"
	"agentflow/memory/markdown"
)

// listed returns a listing made by the clock that open uses.
func (s notes) listed() *Listing {
	return sources.List(s.t.Context(), time.Now().Add(time.Hour), []Source{s.source()})
}

// TestBriefsAreInStep edits files at random and syncs now and then. It checks
// that the index returns the right digest of each unchanged file, and that
// Holding leaves out no file that holds an ID.
func TestBriefsAreInStep(t *testing.T) {
	s := filled(t)
	d := s.open(Options{})
	rng := rand.New(rand.NewPCG(1, 2))
	known, changed, decoded := 0, 0, new(Decoded)
	for round := range 40 {
		edit(t, s, rng, round)
		if rng.IntN(2) == 0 {
			s.sync(d)
		}
		listed := s.listed()
		digests, err := d.Digests(t.Context(), listed, decoded)
		must(t, err)
		files, err := listed.Wait()
		must(t, err)
		ids := map[string][]string{}
		for _, f := range files.List {
			data, err := f.Read()
			must(t, err)
			doc := markdown.Parse(data)
			for _, id := range doc.IDs() {
				ids[id] = append(ids[id], f.Name)
			}
			have := digests[f.Name]
			if have == nil {
				changed++
				continue
			}
			known++
			if want := digest.Of(filepath.Base(f.Name), doc).Append(nil); string(have.Append(nil)) != string(want) {
				t.Fatalf("round %d: %s has another digest", round, f.Name)
			}
		}
		for id, names := range ids {
			may, err := d.Holding(t.Context(), listed, digest.ByID(id))
			must(t, err)
			for _, name := range names {
				if !may(name) {
					t.Fatalf("round %d: %s holds %s and is left out", round, name, id)
				}
			}
		}
	}
	if known < 100 || changed < 10 {
		t.Errorf("%d files were known, %d had changed", known, changed)
	}
}

// TestHoldingNarrows checks that Holding admits few files when the index is up
// to date, and all files when it is empty.
func TestHoldingNarrows(t *testing.T) {
	s := filled(t)
	d := s.open(Options{})
	ask := func(id string) int {
		may, err := d.Holding(t.Context(), s.listed(), digest.ByID(id))
		must(t, err)
		files, err := s.listed().Wait()
		must(t, err)
		n := 0
		for _, f := range files.List {
			if may(f.Name) {
				n++
			}
		}
		if !may("memory/unlisted.md") {
			t.Error("a file that is not listed is left out")
		}
		return n
	}
	if n := ask("e3-4"); n != 21 {
		t.Errorf("an empty index leads to %d files", n)
	}
	s.sync(d)
	if n := ask("e3-4"); n != 1 {
		t.Errorf("the id leads to %d files", n)
	}
	if n := ask("none"); n != 0 {
		t.Errorf("an unknown id leads to %d files", n)
	}
	s.put("day-07.md", entry("e3-4", day, "Copied", "It stands here too."))
	if n := ask("e3-4"); n != 2 {
		t.Errorf("with a file that changed since, it leads to %d", n)
	}
	must(t, os.Remove(s.file("day-03.md")))
	s.sync(d)
	if n := ask("e3-4"); n != 1 {
		t.Errorf("after its file went it leads to %d", n)
	}
}

// TestFreshFilesAreRead checks that a file written only a moment ago is always
// read, because a later change might not show in its stat.
func TestFreshFilesAreRead(t *testing.T) {
	s := filled(t)
	d := s.open(Options{})
	d.now = time.Now
	s.sync(d)
	digests, err := d.Digests(t.Context(), List(t.Context(), s.source()), new(Decoded))
	must(t, err)
	if len(digests) > 0 {
		t.Errorf("%d files are relied on", len(digests))
	}
}

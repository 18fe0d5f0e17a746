package memory

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// certainties are those of the run's own lists, in order, and its possible
// commits.
func certainties(e *Entry) string {
	var list []string
	for _, l := range e.ownLists() {
		for _, c := range l.Items {
			list = append(list, c.Path+" "+string(c.Certainty))
		}
	}
	for _, c := range e.PossibleCommits {
		list = append(list, c.ID+" "+c.Subject)
	}
	return strings.Join(list, ", ")
}

func certainRun() Entry {
	return Entry{
		Kind: KindRun, ID: "r1",
		Changes: ChangeList{Items: []Change{
			{Status: StatusAdded, Path: "a", Certainty: Shown}, {Status: StatusAdded, Path: "b", Certainty: Likely},
		}},
		Uncommitted:     ChangeList{Items: []Change{{Status: StatusModified, Path: "c", Added: 1, Counted: true, Certainty: Possible}}},
		Commits:         []Commit{{ID: "a1b2c3d4e5", Subject: "Ours"}},
		PossibleCommits: []Commit{{ID: "b2c3d4e5f6", Subject: "Whose?"}},
		Meanwhile:       ChangeList{Items: []Change{{Status: StatusModified, Path: "d"}}},
	}
}

// TestCertaintyByHand: what a person changes in the Markdown counts, and old
// entries do not claim what nobody knew then.
func TestCertaintyByHand(t *testing.T) {
	for _, c := range []struct {
		name      string
		edit      []string // old, new, …
		certainty string
	}{
		{"as written", nil, "a shown, b likely, c possible, b2c3d4e5f6 Whose?"},
		{"the mark is taken out", []string{" (possibly)\n\n### Changed", "\n\n### Changed"}, "a shown, b likely, c likely, b2c3d4e5f6 Whose?"},
		{"a mark is put in", []string{"- A a\n", "- A a (possibly)\n"}, "a possible, b likely, c possible, b2c3d4e5f6 Whose?"},
		{"a line is taken out", []string{"- A a\n", ""}, "b likely, c possible, b2c3d4e5f6 Whose?"},
		{"a line is put in", []string{"- A a\n", "- A a\n- A aa\n- A ab (possibly)\n"}, "a likely, aa likely, ab possible, b likely, c possible, b2c3d4e5f6 Whose?"},
		{"the mark of a commit is taken out", []string{"Whose? (possibly)", "Whose?"}, "a shown, b likely, c possible, b2c3d4e5f6 Whose?"},
		{"a commit is taken out", []string{"- a1b2c3d Ours\n", ""}, "a shown, b likely, c possible, b2c3d4e5f6 Whose?"},
		{"odd letters", []string{"certainty=sl/p", "certainty=%FF//"}, "a likely, b likely, c possible, b2c3d4e5f6 Whose?"},
		{"before there was certainty", []string{" certainty=sl/p", "", " possible=b2c3d4e5f6", "", " (possibly)", ""}, "a possible, b possible, c possible"},
		{"a commit by hand", []string{"kind=run", "kind=commit"}, "a , b , c , b2c3d4e5f6 Whose?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := string(Format(certainRun()))
			for old, edited := range pairs(c.edit) {
				if !strings.Contains(src, old) {
					t.Fatalf("no %q in\n%s", old, src)
				}
				src = strings.ReplaceAll(src, old, edited)
			}
			d := Parse([]byte(src))
			if string(d.Bytes()) != src {
				t.Errorf("the file did not come back:\n%s", d.Bytes())
			}
			e := d.Entries()[0]
			if got := certainties(e); got != c.certainty {
				t.Errorf("have %s\nwant %s\nfrom\n%s", got, c.certainty, src)
			}
			if got := e.Meanwhile.Items[0]; got != (Change{Status: StatusModified, Path: "d"}) {
				t.Errorf("meanwhile: %+v", got)
			}
			checkEntry(t, *e)
		})
	}
}

func pairs(list []string) func(yield func(a, b string) bool) {
	return func(yield func(a, b string) bool) {
		for pair := range slices.Chunk(list, 2) {
			if !yield(pair[0], pair[1]) {
				return
			}
		}
	}
}

// TestFoldCertainty: a folder is as certain as the least certain path below.
func TestFoldCertainty(t *testing.T) {
	var list []Change
	for i := range 12 {
		list = append(list, Change{Status: StatusAdded, Path: fmt.Sprintf("shown/%d", i), Certainty: Shown},
			Change{Status: StatusAdded, Path: fmt.Sprintf("likely/%d", i), Certainty: []Certainty{Likely, Shown}[i%2]},
			Change{Status: StatusAdded, Path: fmt.Sprintf("some/%d", i), Certainty: []Certainty{Likely, Possible}[i%2]},
			Change{Status: StatusAdded, Path: fmt.Sprintf("none/%d", i)})
	}
	var got []string
	for _, c := range Fold(list, 8) {
		if c.Status == StatusFolder {
			got = append(got, c.Path+" "+string(c.Certainty))
		}
	}
	if want := []string{"likely/ likely", "none/ ", "shown/ shown", "some/ possible"}; !slices.Equal(got, want) {
		t.Errorf("have %q, want %q", got, want)
	}
}

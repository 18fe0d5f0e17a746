package changeset

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestFold(t *testing.T) {
	var list []Change
	for i := range 1000 {
		list = append(list, Change{Status: StatusAdded, Path: "vendor/p" + strings.Repeat("x", i%7) + "/f" + strings.Repeat("y", i), Added: 2, Counted: true})
	}
	list = append(list, Change{Status: StatusModified, Path: "main.go", Added: 1, Counted: true})
	got := Fold(list, MaxChanges)
	files := 0
	for _, c := range got {
		files += max(c.Files, 1)
	}
	if len(got) > MaxChanges || files != len(list) || !slices.ContainsFunc(got, func(c Change) bool { return c.Path == "main.go" }) {
		t.Fatalf("%d lines for %d files", len(got), files)
	}
	if short := Fold(got, MaxChanges); !slices.Equal(short, got) {
		t.Error("folded again")
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

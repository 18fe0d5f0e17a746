package scan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentflow/internal/testing/gittest"
)

// TestHiddenPaths: if there are too many names, folders replace them.
func TestHiddenPaths(t *testing.T) {
	few := NewHidden([]string{"x/b.o", "build/", "x/a.o"})
	gittest.Want(t, "few", fmt.Sprintf("%q", few), `["build/" "x/a.o" "x/b.o"]`)
	for path, want := range map[string]bool{"x/a.o": true, "x/c.o": false, "build/x/y": true, "build": false, "b": false} {
		if few.Holds(path) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
	var names []string
	for i := range maxHidden + 1 {
		names = append(names, fmt.Sprintf("x/%d.o", i))
	}
	gittest.Want(t, "many", fmt.Sprintf("%q", NewHidden(slices.Clone(names))), `["x/"]`)
	for i := range names {
		names[i] = strings.Replace(names[i], "/", fmt.Sprint(i, "/"), 1)
	}
	all := NewHidden(names)
	gittest.Want(t, "too many folders", fmt.Sprintf("%q", all), `[""]`)
	if !all.Holds("anything") {
		t.Error("it may have been there")
	}
}

package config

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestKnown(t *testing.T) {
	home := t.TempDir()
	known := Dirs{State: filepath.Join(home, "state")}.Known()
	if list := known.List(); len(list) != 0 {
		t.Errorf("before any was noted: %q", list)
	}
	roots := []string{filepath.Join(home, "a", ".agentflow"), filepath.Join(home, "b\nc", ".agentflow"), filepath.Join(home, "gone", ".agentflow")}
	for _, root := range slices.Concat(roots, roots) {
		if err := os.MkdirAll(root, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := known.Note(root); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(roots[2]); err != nil {
		t.Fatal(err)
	}
	if list := known.List(); !slices.Equal(list, roots[:2]) {
		t.Errorf("%q, not %q", list, roots[:2])
	}
	for range 2 {
		if err := known.Forget(roots[0]); err != nil {
			t.Fatal(err)
		}
	}
	if list := known.List(); !slices.Equal(list, roots[1:2]) {
		t.Errorf("%q, not %q", list, roots[1:2])
	}
	if err := known.Forget(roots[2]); err != nil {
		t.Fatal(err)
	}
	if err := known.Forget(roots[1]); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(home, "state", "memories")); !os.IsNotExist(err) {
		t.Errorf("the folder of an empty list: %v", err)
	}
	if list := (Dirs{}).Known().List(); len(list) != 0 || (Dirs{}).Known().Note(roots[0]) != nil {
		t.Errorf("without a state folder: %q", list)
	}
}

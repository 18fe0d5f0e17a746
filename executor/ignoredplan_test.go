package executor

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestIgnoredPlans: a plan in a file that must not enter memory is dropped. One that has no file stays.
func TestIgnoredPlans(t *testing.T) {
	tree := t.TempDir()
	s := &eventStore{deps: Deps{WorkTree: tree, Dir: filepath.Join(tree, "web"), Ignore: func(path string) bool { return strings.HasPrefix(path, "plans/") }}}
	for path, want := range map[string]bool{
		"../plans/names.md":                           true,
		"plans/names.md":                              false,
		filepath.Join(tree, "plans", "names.md"):      true,
		filepath.Join(t.TempDir(), "plans/names.md"):  false,
		filepath.Join(tree, "docs", "plans", "a.md"):  false,
		filepath.Join(tree, "plans", "..", "docs.md"): false,
	} {
		if got := s.leavesOut([]string{path}); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
	if s.leavesOut(nil) || (&eventStore{}).leavesOut([]string{"plans/a.md"}) {
		t.Error("left out without a path, or without a setting")
	}
}

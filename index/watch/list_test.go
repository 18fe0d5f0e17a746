package watch

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestListing(t *testing.T) {
	root := filepath.Join(t.TempDir(), "root")
	a, txt := filepath.Join(root, "a.md"), filepath.Join(root, "a.txt")
	makeFolder(t, filepath.Join(root, "state"))
	o := Options{Roots: []string{root}, Ignore: func(path string) bool { return filepath.Base(path) == "state" }}
	// Ticks of the file system's clock may be longer than a step.
	age := func() {
		old := time.Now().Add(-time.Hour)
		_ = filepath.WalkDir(filepath.Dir(root), func(path string, _ os.DirEntry, _ error) error { return os.Chtimes(path, old, old) })
	}
	for _, step := range []struct {
		name    string
		do      func()
		differs bool
	}{
		{"nothing", func() {}, false},
		{"a file", func() { put(t, a, "one") }, true},
		{"other contents", func() { put(t, a, "two!") }, true},
		{"the same length", func() { put(t, a, "2nd!") }, true},
		{"a file that is not Markdown", func() { put(t, txt, "x") }, true}, // by the time of the folder
		{"its contents", func() { put(t, txt, "other") }, false},
		{"a file in a new folder", func() { makeFolder(t, filepath.Join(root, "new")); put(t, filepath.Join(root, "new", "b.md"), "x") }, true},
		{"a file that came and went", func() { put(t, a+".md", "x"); _ = os.Remove(a + ".md") }, true},
		{"what is ignored", func() { put(t, filepath.Join(root, "state", "c.md"), "x") }, false},
		{"another name", func() { _ = os.Rename(a, filepath.Join(root, "b.md")) }, true},
		{"gone", func() { _ = os.RemoveAll(root) }, true},
		{"a root that came and went", func() { makeFolder(t, root); _ = os.RemoveAll(root) }, true},
	} {
		age()
		last, _ := o.list(t.Context(), time.Now())
		step.do()
		now, _ := o.list(t.Context(), time.Now())
		if (now != last) != step.differs {
			t.Errorf("%s: differs %v", step.name, now != last)
		}
	}
}

// TestFreshFiles checks that list reports a change so recent that a later
// change might not show in the file's stat.
func TestFreshFiles(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "a.md")
	put(t, path, "x")
	now := time.Now()
	if err := os.Chtimes(root, now, now.Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	o := Options{Roots: []string{root}}.withDefaults()
	for ago, want := range map[time.Duration]bool{0: true, time.Second: true, 3 * time.Second: false, -time.Second: true, -time.Hour: false} {
		if err := os.Chtimes(path, now, now.Add(-ago)); err != nil {
			t.Fatal(err)
		}
		if _, fresh := o.list(t.Context(), now); fresh != want {
			t.Errorf("changed %v ago: fresh %v", ago, fresh)
		}
	}
}

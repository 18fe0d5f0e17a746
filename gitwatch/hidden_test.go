package gitwatch

import (
	"os"
	"testing"
	"time"

	"agentflow/internal/testing/gittest"
)

// TestHiddenComesToLight: among the files that git did not look at before, those with a ctime older
// than the run appear in no list. The others are reported as not looked at.
func TestHiddenComesToLight(t *testing.T) {
	for _, c := range []struct {
		name        string
		clock       time.Duration // of the start, relative to the files
		uncommitted string
	}{
		{"older files", time.Hour, "M .gitignore +0 -2\nA new.txt +1 -0"},
		{"younger files", -time.Hour, "M .gitignore +0 -2\nM build/out (git did not look at it before)\n" +
			"M data.db (git did not look at it before)\nA new.txt +1 -0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.Commit("base", ".gitignore", "data.db\nbuild/\n", "a.txt", "a\n")
			f.Write("data.db", "precious\n")
			f.Write("build/out", "built\n")
			repo := f.open()
			repo.tree.Clock = func() time.Time { return time.Now().Add(c.clock) }
			before, err := repo.Snapshot(t.Context(), f.Run, time.Time{}, nil)
			gittest.Must(t, err)
			f.Write(".gitignore", "")
			f.Write("new.txt", "new\n")
			set := repo.Compare(t.Context(), before, Evidence{Dir: f.Run, Started: f.Now(), Ended: time.Now()})
			gittest.Want(t, "uncommitted", gittest.Show(set.Uncommitted), c.uncommitted)
			gittest.Want(t, "meanwhile", gittest.Show(set.Meanwhile), "")
		})
	}
}

// TestHiddenFromNowOn: what becomes ignored, or part of a nested repository, is
// still there.
func TestHiddenFromNowOn(t *testing.T) {
	for name, act := range map[string]func(*fixture){
		"ignored": func(f *fixture) { f.Write(".git/info/exclude", "notes\n") },
		"nested":  func(f *fixture) { f.Git("-C", "notes", "init", "-q") },
	} {
		for _, format := range []string{"sha1", "sha256"} {
			t.Run(name+" "+format, func(t *testing.T) {
				f := newFixture(t)
				gittest.Must(t, os.RemoveAll(f.Path(".git")))
				f.Git("init", "-q", "-b", "main", "--object-format="+format)
				f.Commit("base", "a.txt", "a\n")
				f.Write("notes/mine.txt", "mine\n")
				f.Write("notes/changes.txt", "before\n")
				set := f.during(func() {
					act(f)
					f.Write("notes/changes.txt", "after\n")
				})
				gittest.Want(t, "uncommitted", gittest.Show(set.Uncommitted), "M notes/changes.txt +1 -1")
				gittest.Want(t, "meanwhile", gittest.Show(set.Meanwhile), "")
			})
		}
	}
}

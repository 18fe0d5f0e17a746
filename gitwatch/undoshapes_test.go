package gitwatch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUndoConverted: files that git converts come back as they stood on disk,
// or as git checks them out.
func TestUndoConverted(t *testing.T) {
	l := newUndoLab(t, func(f *fixture) {
		f.git("config", "filter.shout.clean", "tr A-Z a-z")
		f.git("config", "filter.shout.smudge", "tr a-z A-Z")
		f.commit("base", ".gitattributes", "*.crlf text eol=crlf\n*.up filter=shout\n", "x.crlf", "one\r\ntwo\r\n", "y.crlf", "y\r\n", "f.up", "LOUD\n", "g.up", "G\n")
		f.write("y.crlf", "changed\r\nby hand\n") // line ends that git would not write
		f.write("g.up", "Hand\n")
	}, func(f *fixture) {
		must(f.t, os.Remove(f.path("x.crlf")))
		f.write("y.crlf", "the run's\r\n")
		f.write("f.up", "OTHER\n")
		f.write("g.up", "THE RUN'S\n")
		f.git("add", "g.up", "y.crlf")
		f.git("commit", "-qm", "the run's")
	})
	patch, err := l.open().OpenPatch(t.Context(), l.run, append(l.request.Committed, l.request.Edits...))
	must(t, err)
	defer patch.Close()
	if len(patch.Lacking) > 0 {
		t.Errorf("lacking %v", patch.Lacking)
	}
	want(t, "refused", l.undo(), "")
	l.is("x.crlf", "one\r\ntwo\r\n")
	l.is("y.crlf", "changed\r\nby hand\n")
	l.is("f.up", "LOUD\n")
	l.is("g.up", "Hand\n")
	want(t, "HEAD", l.git("show", "HEAD:y.crlf"), "y\n")
}

// TestUndoIsExact: what git would store alike may differ on disk.
func TestUndoIsExact(t *testing.T) {
	l := newUndoLab(t, func(f *fixture) {
		f.commit("base", ".gitattributes", "*.txt text\n", "a.txt", "a\n")
	}, func(f *fixture) { f.write("a.txt", "the run's\n") })
	l.write("a.txt", "the run's\r\n")
	want(t, "refused", l.undo(), "[{a.txt it was changed after the run}]")
	l.write("a.txt", "the run's\n")
	want(t, "refused", l.undo(), "")
	l.is("a.txt", "a\n")
}

// TestUndoBesideAnEarlierChange: a commit that was made beside a change in the
// work tree, which stayed, is HEAD's alone.
func TestUndoBesideAnEarlierChange(t *testing.T) {
	l := newUndoLab(t, func(f *fixture) {
		base(f)
		f.write("a.txt", "the user's\n")
	}, func(f *fixture) {
		f.write("a.txt", "the run's\n"+numbered(1, 20))
		f.git("commit", "-qm", "the run's", "--", "a.txt")
		f.write("a.txt", "the user's\n")
	})
	patch, err := l.open().OpenPatch(t.Context(), l.run, l.request.Committed)
	must(t, err)
	defer patch.Close()
	text, err := patch.Text(t.Context(), true)
	must(t, err)
	want(t, "patch", string(text), "")
	want(t, "swept", strings.Join(patch.Swept, " "), "a.txt")
	want(t, "refused", l.undo(), "")
	l.is("a.txt", "the user's\n")
	want(t, "HEAD", l.git("show", "HEAD:a.txt"), numbered(1, 20))
	want(t, "status", l.status(), " M a.txt")
}

// TestPatchPastALink: git apply takes a patch that puts a folder where a link
// was that went elsewhere.
func TestPatchPastALink(t *testing.T) {
	l := newUndoLab(t, func(f *fixture) {
		must(f.t, os.Symlink("some/where", f.path("link")))
		f.commit("base", "a.txt", "a\n")
	}, func(*fixture) {})
	before := readTree(t, l.dir)
	set := l.during(func() {
		must(t, os.Rename(l.path("link"), l.path("moved")))
		l.write("link/x", "x\n")
	}, keep)
	l.checkPatch(l.undoRequest(set), before, readTree(t, l.dir))
}

// TestUndoInOtherShapes of repositories.
func TestUndoInOtherShapes(t *testing.T) {
	act := func(f *fixture) {
		f.commit("the run's", "a.txt", "the run's\n")
		f.write("b.txt", "changed\n")
	}
	check := func(t *testing.T, l *lab) {
		want(t, "refused", l.undo(), "")
		want(t, "status", l.status(), "")
		l.is("b.txt", "b\n")
		want(t, "HEAD", l.git("show", "HEAD:a.txt"), numbered(1, 20))
	}
	t.Run("SHA-256", func(t *testing.T) {
		check(t, newUndoLab(t, func(f *fixture) {
			must(t, os.RemoveAll(f.path(".git")))
			f.git("init", "-q", "-b", "main", "--object-format=sha256")
			f.git("config", "user.name", "A")
			f.git("config", "user.email", "a@example.org")
			base(f)
		}, act))
	})
	t.Run("split index", func(t *testing.T) {
		l := newUndoLab(t, func(f *fixture) {
			base(f)
			f.git("config", "core.splitIndex", "true")
			f.git("update-index", "--split-index")
		}, act)
		check(t, l)
	})
	t.Run("linked work tree", func(t *testing.T) {
		f := newFixture(t)
		f.git("config", "user.name", "A")
		f.git("config", "user.email", "a@example.org")
		base(f)
		f.git("worktree", "add", "-q", "-b", "side", "../side")
		side := f.at(filepath.Join(filepath.Dir(f.dir), "side"), f.run)
		set := side.during(func() { act(side) }, keep)
		check(t, &lab{side, side.undoRequest(set)})
		want(t, "main", strings.TrimSpace(f.git("log", "--format=%s", "main")), "base")
	})
	t.Run("the first commit", func(t *testing.T) {
		l := newUndoLab(t, func(*fixture) {}, base)
		want(t, "refused", l.undo(), "")
		want(t, "status", l.status(), "")
		want(t, "files", strings.Join(readTree(t, l.dir).differ(tree{}), " "), "")
	})
	t.Run("submodule", func(t *testing.T) {
		l := newUndoLab(t, base, func(f *fixture) {
			f.git("clone", "-q", ".", "sub")
			f.git("-c", "advice.addEmbeddedRepo=false", "add", "sub")
			f.git("commit", "-qm", "the run's", "--", "sub")
		})
		want(t, "refused", l.undo(), "[{sub it is a submodule}]")
	})
}

// TestUndoBetweenOthersCommits: a run's two commits to one file, with somebody
// else's in between, are taken back without it.
func TestUndoBetweenOthersCommits(t *testing.T) {
	l := newUndoLab(t, base, func(f *fixture) {
		f.commit("first", "a.txt", "first\n"+numbered(1, 20))
		f.trace = false
		f.commit("not the run's", "a.txt", "first\n"+numbered(1, 9)+"theirs\n"+numbered(10, 20))
		f.trace = true
		f.commit("second", "a.txt", "second\n"+numbered(1, 9)+"theirs\n"+numbered(10, 20))
	})
	if len(l.request.Committed) != 2 {
		t.Fatalf("have %d stretches", len(l.request.Committed))
	}
	patch, err := l.open().OpenPatch(t.Context(), l.run, l.request.Committed)
	must(t, err)
	defer patch.Close()
	text, err := patch.Text(t.Context(), true)
	must(t, err)
	if n := strings.Count(string(text), "diff --git a/a.txt"); n != 2 || strings.Contains(string(text), "+theirs") {
		t.Errorf("the patch:\n%s", text)
	}
	want(t, "refused", l.undo(), "")
	l.is("a.txt", numbered(1, 9)+"theirs\n"+numbered(10, 20))
}

// TestCommittedBy: without the run's folder git tells what commits changed.
func TestCommittedBy(t *testing.T) {
	l := newUndoLab(t, base, func(f *fixture) {
		f.commit("one", "a.txt", "one\n")
		f.git("mv", "b.txt", "e.txt")
		f.git("commit", "-qm", "two")
	})
	l.request.Dir = filepath.Join(l.run, "gone")
	var err error
	l.request.Committed, err = l.open().CommittedBy(t.Context(), l.request.Commits)
	must(t, err)
	want(t, "refused", l.undo(), "")
	want(t, "status", l.status(), "")
	l.is("a.txt", numbered(1, 20))
	l.is("b.txt", "b\n")
}

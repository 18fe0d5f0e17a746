package undo

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/gitwatch"
	"agentflow/gitwatch/internal/git"
	"agentflow/internal/testing/gittest"
	"agentflow/internal/testing/runtest"
)

// TestUndoConverted: files that git converts come back as they stood on disk,
// or as git checks them out.
func TestUndoConverted(t *testing.T) {
	l := newLab(t, func(f *runtest.Repo) {
		f.Git("config", "filter.shout.clean", "tr A-Z a-z")
		f.Git("config", "filter.shout.smudge", "tr a-z A-Z")
		f.Commit("base", ".gitattributes", "*.crlf text eol=crlf\n*.up filter=shout\n", "x.crlf", "one\r\ntwo\r\n", "y.crlf", "y\r\n", "f.up", "LOUD\n", "g.up", "G\n")
		f.Write("y.crlf", "changed\r\nby hand\n") // line ends that git would not write
		f.Write("g.up", "Hand\n")
	}, func(f *runtest.Repo) {
		gittest.Must(f.T, os.Remove(f.Path("x.crlf")))
		f.Write("y.crlf", "the run's\r\n")
		f.Write("f.up", "OTHER\n")
		f.Write("g.up", "THE RUN'S\n")
		f.Git("add", "g.up", "y.crlf")
		f.Git("commit", "-qm", "the run's")
	})
	patch, err := OpenPatch(t.Context(), l.Open(), l.Run, append(l.request.Committed, l.request.Edits...))
	gittest.Must(t, err)
	defer patch.Close()
	if len(patch.Missing) > 0 {
		t.Errorf("lacking %v", patch.Missing)
	}
	gittest.Want(t, "refused", l.undo(), "")
	l.is("x.crlf", "one\r\ntwo\r\n")
	l.is("y.crlf", "changed\r\nby hand\n")
	l.is("f.up", "LOUD\n")
	l.is("g.up", "Hand\n")
	gittest.Want(t, "HEAD", l.Git("show", "HEAD:y.crlf"), "y\n")
}

// TestUndoIsExact: what git would store alike may differ on disk.
func TestUndoIsExact(t *testing.T) {
	l := newLab(t, func(f *runtest.Repo) {
		f.Commit("base", ".gitattributes", "*.txt text\n", "a.txt", "a\n")
	}, func(f *runtest.Repo) { f.Write("a.txt", "the run's\n") })
	l.Write("a.txt", "the run's\r\n")
	gittest.Want(t, "refused", l.undo(), "[{a.txt it was changed after the run}]")
	l.Write("a.txt", "the run's\n")
	gittest.Want(t, "refused", l.undo(), "")
	l.is("a.txt", "a\n")
}

// TestUndoBesideAnEarlierChange: a commit that was made while a change in the work tree stayed
// there changed only HEAD.
func TestUndoBesideAnEarlierChange(t *testing.T) {
	l := newLab(t, func(f *runtest.Repo) {
		base(f)
		f.Write("a.txt", "the user's\n")
	}, func(f *runtest.Repo) {
		f.Write("a.txt", "the run's\n"+numbered(1, 20))
		f.Git("commit", "-qm", "the run's", "--", "a.txt")
		f.Write("a.txt", "the user's\n")
	})
	patch, err := OpenPatch(t.Context(), l.Open(), l.Run, l.request.Committed)
	gittest.Must(t, err)
	defer patch.Close()
	text, err := patch.Text(t.Context(), true)
	gittest.Must(t, err)
	gittest.Want(t, "patch", string(text), "")
	gittest.Want(t, "swept", strings.Join(patch.Swept, " "), "a.txt")
	gittest.Want(t, "refused", l.undo(), "")
	l.is("a.txt", "the user's\n")
	gittest.Want(t, "HEAD", l.Git("show", "HEAD:a.txt"), numbered(1, 20))
	gittest.Want(t, "status", l.status(), " M a.txt")
}

// TestPatchPastALink: git apply takes a patch that puts a folder where a link
// was that went elsewhere.
func TestPatchPastALink(t *testing.T) {
	l := newLab(t, func(f *runtest.Repo) {
		gittest.Must(f.T, os.Symlink("some/where", f.Path("link")))
		f.Commit("base", "a.txt", "a\n")
	}, func(*runtest.Repo) {})
	before := readTree(t, l.Dir)
	set := l.During(func() {
		gittest.Must(t, os.Rename(l.Path("link"), l.Path("moved")))
		l.Write("link/x", "x\n")
	}, keep)
	checkPatch(l.Repo, requestOf(l.Repo, set), before, readTree(t, l.Dir))
}

// TestUndoInOtherShapes of repositories.
func TestUndoInOtherShapes(t *testing.T) {
	act := func(f *runtest.Repo) {
		f.Commit("the run's", "a.txt", "the run's\n")
		f.Write("b.txt", "changed\n")
	}
	check := func(t *testing.T, l *lab) {
		gittest.Want(t, "refused", l.undo(), "")
		gittest.Want(t, "status", l.status(), "")
		l.is("b.txt", "b\n")
		gittest.Want(t, "HEAD", l.Git("show", "HEAD:a.txt"), numbered(1, 20))
	}
	t.Run("SHA-256", func(t *testing.T) {
		check(t, newLab(t, func(f *runtest.Repo) {
			gittest.Must(t, os.RemoveAll(f.Path(".git")))
			f.Git("init", "-q", "-b", "main", "--object-format=sha256")
			f.Git("config", "user.name", "A")
			f.Git("config", "user.email", "a@example.org")
			base(f)
		}, act))
	})
	t.Run("split index", func(t *testing.T) {
		l := newLab(t, func(f *runtest.Repo) {
			base(f)
			f.Git("config", "core.splitIndex", "true")
			f.Git("update-index", "--split-index")
		}, act)
		check(t, l)
	})
	t.Run("linked work tree", func(t *testing.T) {
		f := runtest.New(t)
		f.Git("config", "user.name", "A")
		f.Git("config", "user.email", "a@example.org")
		base(f)
		f.Git("worktree", "add", "-q", "-b", "side", "../side")
		side := f.At(filepath.Join(filepath.Dir(f.Dir), "side"), f.Run)
		set := side.During(func() { act(side) }, keep)
		check(t, &lab{side, requestOf(side, set)})
		gittest.Want(t, "main", strings.TrimSpace(f.Git("log", "--format=%s", "main")), "base")
	})
	t.Run("the first commit", func(t *testing.T) {
		l := newLab(t, func(*runtest.Repo) {}, base)
		gittest.Want(t, "refused", l.undo(), "")
		gittest.Want(t, "status", l.status(), "")
		gittest.Want(t, "files", strings.Join(readTree(t, l.Dir).differ(tree{}), " "), "")
	})
	t.Run("submodule", func(t *testing.T) {
		l := newLab(t, base, func(f *runtest.Repo) {
			f.Git("clone", "-q", ".", "sub")
			f.Git("-c", "advice.addEmbeddedRepo=false", "add", "sub")
			f.Git("commit", "-qm", "the run's", "--", "sub")
		})
		gittest.Want(t, "refused", l.undo(), "[{sub it is a submodule}]")
	})
}

// TestUndoBetweenOthersCommits: a run's two commits to one file, with somebody
// else's in between, are taken back without it.
func TestUndoBetweenOthersCommits(t *testing.T) {
	l := newLab(t, base, func(f *runtest.Repo) {
		f.Commit("first", "a.txt", "first\n"+numbered(1, 20))
		f.Trace = false
		f.Commit("not the run's", "a.txt", "first\n"+numbered(1, 9)+"theirs\n"+numbered(10, 20))
		f.Trace = true
		f.Commit("second", "a.txt", "second\n"+numbered(1, 9)+"theirs\n"+numbered(10, 20))
	})
	if len(l.request.Committed) != 2 {
		t.Fatalf("have %d stretches", len(l.request.Committed))
	}
	patch, err := OpenPatch(t.Context(), l.Open(), l.Run, l.request.Committed)
	gittest.Must(t, err)
	defer patch.Close()
	text, err := patch.Text(t.Context(), true)
	gittest.Must(t, err)
	if n := strings.Count(string(text), "diff --git a/a.txt"); n != 2 || strings.Contains(string(text), "+theirs") {
		t.Errorf("the patch:\n%s", text)
	}
	gittest.Want(t, "refused", l.undo(), "")
	l.is("a.txt", numbered(1, 9)+"theirs\n"+numbered(10, 20))
}

// TestCommittedBy: without the run's folder, the changes of commits are read from git.
func TestCommittedBy(t *testing.T) {
	l := newLab(t, base, func(f *runtest.Repo) {
		f.Commit("one", "a.txt", "one\n")
		f.Git("mv", "b.txt", "e.txt")
		f.Git("commit", "-qm", "two")
	})
	l.request.Dir = filepath.Join(l.Run, "gone")
	var err error
	l.request.Committed, err = l.Open().CommittedBy(t.Context(), l.request.Commits, gitwatch.Origin{})
	gittest.Must(t, err)
	gittest.Want(t, "refused", l.undo(), "")
	gittest.Want(t, "status", l.status(), "")
	l.is("a.txt", numbered(1, 20))
	l.is("b.txt", "b\n")
}

// TestNoHooksRun: neither a patch nor an undo runs the user's hooks.
func TestNoHooksRun(t *testing.T) {
	l := newLab(t, base, func(f *runtest.Repo) {
		f.Commit("the run's", "a.txt", "the run's\n")
		f.Write("b.txt", "changed\n")
		f.Git("add", "b.txt")
	})
	ran := filepath.Join(l.Run, "ran")
	for _, name := range []string{"post-index-change", "reference-transaction"} {
		hook := fmt.Sprintf("#!/bin/sh\necho %s >> '%s'\n", name, ran)
		gittest.Must(t, os.WriteFile(l.Path(".git/hooks/"+name), []byte(hook), 0o755))
	}
	patch, err := OpenPatch(t.Context(), l.Open(), l.Run, append(l.request.Committed, l.request.Edits...))
	gittest.Must(t, err)
	_, err = patch.Text(t.Context(), true)
	gittest.Must(t, err)
	gittest.Must(t, patch.Close())
	gittest.Want(t, "refused", l.undo(), "")
	if told, err := os.ReadFile(ran); err == nil {
		t.Errorf("hooks ran:\n%s", told)
	}
	gittest.Want(t, "status", l.status(), "")
}

// TestUndoOfLargeFiles: over 10 MB, size and time show that a file is as the run left it, and
// nothing is hashed for that.
func TestUndoOfLargeFiles(t *testing.T) {
	const large = git.MaxRead + 1
	l := newLab(t, func(f *runtest.Repo) {
		f.Write("tracked.bin", "")
		gittest.Must(f.T, os.Truncate(f.Path("tracked.bin"), large))
		f.Commit("base", "a.txt", "a\n")
	}, func(f *runtest.Repo) {
		gittest.Must(f.T, os.Truncate(f.Path("tracked.bin"), large+1))
		f.Write("new.bin", "")
		gittest.Must(f.T, os.Truncate(f.Path("new.bin"), large))
	})
	now := time.Now().Add(time.Second)
	gittest.Must(t, os.Chtimes(l.Path("new.bin"), now, now))
	gittest.Want(t, "refused", l.undo(), "[{new.bin it was changed after the run}]")
	gittest.Must(t, os.Chtimes(l.Path("new.bin"), now, time.Unix(0, l.request.Edits[0].After.MTime)))
	plan, err := New(t.Context(), l.Open(), l.request)
	gittest.Must(t, err)
	for _, p := range plan.paths {
		gittest.Want(t, "hash of "+p.path, p.now.Hash, "")
	}
	gittest.Must(t, plan.Close())
	gittest.Want(t, "refused", l.undo(), "")
	gittest.Want(t, "status", l.status(), "")
	if _, err := os.Lstat(l.Path("new.bin")); err == nil {
		t.Error("new.bin stays")
	}
}

// TestUndoKeepsLineEnds: files come back with the line ends they had on disk,
// whichever git would write.
func TestUndoKeepsLineEnds(t *testing.T) {
	const lf, crlf, mixed = "one\ntwo\n", "one\r\ntwo\r\n", "one\r\ntwo\n"
	held := map[string]string{"lf.crlf": lf, "crlf.crlf": crlf, "lf.txt": lf, "crlf.txt": crlf, "gone.crlf": lf, "committed.crlf": lf, "touched.txt": crlf}
	l := newLab(t, func(f *runtest.Repo) {
		f.Commit("base", ".gitattributes", "*.crlf text eol=crlf\n*.txt text=auto\n")
		for name, content := range held {
			f.Write(name, content)
		}
		f.Write("mixed.txt", mixed)
		f.Commit("converted", "a.bin", "a\n")
		f.Write("touched.txt", lf)
		f.Git("add", "touched.txt")
		f.Write("touched.txt", crlf) // as git stores it, but the index has another size
	}, func(f *runtest.Repo) {
		for name := range held {
			f.Write(name, "the run's\n")
		}
		f.Write("mixed.txt", "the run's\n")
		gittest.Must(f.T, os.Remove(f.Path("gone.crlf")))
		f.Git("commit", "-qm", "the run's", "--", "committed.crlf")
	})
	plan, err := New(t.Context(), l.Open(), l.request)
	gittest.Must(t, err)
	defer plan.Close()
	_, err = plan.Apply(t.Context())
	gittest.Must(t, err)
	for name, content := range held {
		l.is(name, content)
	}
	l.is("mixed.txt", "the run's\n")
	gittest.Want(t, "stays", fmt.Sprint(plan.Stays), "[{mixed.txt its line ends were not all alike, and git keeps them otherwise}]")
	gittest.Want(t, "status", l.status(), " M mixed.txt\n M touched.txt") // git goes by the size first
}

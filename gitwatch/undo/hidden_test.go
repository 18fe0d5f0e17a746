package undo

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"agentflow/gitwatch/edits"
	"agentflow/internal/testing/gittest"
	"agentflow/internal/testing/runtest"
)

// hiddenWays are the ways in which a run brings to light what git did not look
// at before: prepare makes a repository with files of the user's, act is the
// run.
var hiddenWays = []struct {
	name         string
	prepare, act func(*runtest.Repo)
}{
	{"an emptied .gitignore", func(f *runtest.Repo) {
		f.Commit("base", ".gitignore", "data.db\nbuild/\n")
		f.Write("data.db", "precious\n")
		f.Write("build/out", "built\n")
	}, func(f *runtest.Repo) { f.Write(".gitignore", "\n") }},
	{"an emptied .gitignore of many and large files", func(f *runtest.Repo) {
		f.Commit("base", ".gitignore", "*.db\n", "d/a.txt", "a\n")
		f.Write("d/large.db", strings.Repeat("x", 2<<20))
		for i := range 30 {
			f.Write(fmt.Sprintf("d/%d.db", i), fmt.Sprint(i))
		}
	}, func(f *runtest.Repo) { gittest.Must(f.T, os.Remove(f.Path(".gitignore"))) }},
	{"an emptied info/exclude", func(f *runtest.Repo) {
		f.Write(".git/info/exclude", "notes.txt\n")
		f.Write("notes.txt", "mine\n")
	}, func(f *runtest.Repo) { f.Write(".git/info/exclude", "") }},
	{"a nested repository that is none any more", func(f *runtest.Repo) {
		gittest.Must(f.T, os.Mkdir(f.Path("nested"), 0o755))
		f.Git("-C", "nested", "init", "-q")
		f.Write("nested/p.txt", "precious\n")
		f.Git("-C", "nested", "add", "-A")
		f.Git("-C", "nested", "-c", "user.name=A", "-c", "user.email=a@x", "commit", "-qm", "n")
	}, func(f *runtest.Repo) { gittest.Must(f.T, os.RemoveAll(f.Path("nested/.git"))) }},
	{"a submodule that is none any more", func(f *runtest.Repo) {
		f.Git("clone", "-q", ".", "sub")
		f.Git("-c", "advice.addEmbeddedRepo=false", "add", "sub")
		f.Git("commit", "-qm", "sub")
		f.Write("sub/untracked.txt", "precious\n")
	}, func(f *runtest.Repo) {
		f.Git("rm", "-q", "--cached", "sub")
		gittest.Must(f.T, os.RemoveAll(f.Path("sub/.git")))
		f.Git("commit", "-qm", "no submodule")
	}},
	{"assume-unchanged lifted", func(f *runtest.Repo) {
		f.Write("b.txt", "my own\n")
		f.Git("update-index", "--assume-unchanged", "b.txt")
	}, func(f *runtest.Repo) { f.Git("update-index", "--no-assume-unchanged", "b.txt") }},
	{"skip-worktree lifted", func(f *runtest.Repo) {
		f.Write("b.txt", "my own\n")
		f.Git("update-index", "--skip-worktree", "b.txt")
	}, func(f *runtest.Repo) { f.Git("update-index", "--no-skip-worktree", "b.txt") }},
	{"skip-worktree lifted and committed", func(f *runtest.Repo) {
		f.Write("b.txt", "my own\n")
		f.Git("update-index", "--skip-worktree", "b.txt")
	}, func(f *runtest.Repo) {
		f.Git("update-index", "--no-skip-worktree", "b.txt")
		f.Git("commit", "-qam", "all")
	}},
	{"added by force", ignoredNotes, func(f *runtest.Repo) { f.Git("add", "-f", "notes.txt") }},
	{"added by force and committed", ignoredNotes, func(f *runtest.Repo) {
		f.Git("add", "-f", "notes.txt")
		f.Git("commit", "-qm", "notes")
	}},
	{"added by force, committed, and taken out again", ignoredNotes, func(f *runtest.Repo) {
		f.Git("add", "-f", "notes.txt")
		f.Git("commit", "-qm", "notes")
		f.Git("rm", "-q", "--cached", "notes.txt")
		f.Git("commit", "-qm", "no notes")
	}},
	{"exec bits believed", func(f *runtest.Repo) {
		gittest.Must(f.T, os.Chmod(f.Path("b.txt"), 0o755))
		f.Git("commit", "-qam", "exec")
		gittest.Must(f.T, os.Chmod(f.Path("b.txt"), 0o644))
		f.Git("config", "core.fileMode", "false")
	}, func(f *runtest.Repo) { f.Git("config", "core.fileMode", "true") }},
}

func ignoredNotes(f *runtest.Repo) {
	f.Commit("base", ".gitignore", "notes.txt\n")
	f.Write("notes.txt", "mine\n")
}

// TestUndoKeepsWhatWasHidden: files that become visible during a run existed before, and stay as
// they were. Files that the run made are removed.
func TestUndoKeepsWhatWasHidden(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		for _, way := range hiddenWays {
			t.Run(way.name+" "+format, func(t *testing.T) {
				var before tree
				l := newLab(t, func(f *runtest.Repo) {
					inFormat(f, format)
					way.prepare(f)
					before = readTree(t, f.Dir)
				}, func(f *runtest.Repo) {
					way.act(f)
					f.Write("new.txt", "the run's\n")
				})
				gittest.Want(t, "refused", l.undoRest("sub"), "")
				if d := before.differ(readTree(t, l.Dir)); len(d) > 0 {
					t.Errorf("it changed %q", d)
				}
			})
		}
	}
}

// TestUndoKeepsWhatChangedUnseen: what a run changed where git did not look
// before cannot be given back, and stays as the run left it.
func TestUndoKeepsWhatChangedUnseen(t *testing.T) {
	for _, way := range hiddenWays[:5] {
		t.Run(way.name, func(t *testing.T) {
			l := newLab(t, func(f *runtest.Repo) { inFormat(f, "sha1"); way.prepare(f) }, func(f *runtest.Repo) {
				for path := range readTree(t, f.Dir) {
					if _, err := f.Try("ls-files", "--error-unmatch", path); err != nil && !strings.Contains(path, "/.git/") {
						f.Write(path, "changed by the run\n")
					}
				}
				way.act(f)
			})
			after := readTree(t, l.Dir)
			l.request.Edits, l.request.Committed = without(l.request.Edits, "sub"), without(l.request.Committed, "sub")
			plan, err := New(t.Context(), l.Open(), l.request)
			gittest.Must(t, err)
			defer plan.Close()
			if len(plan.Stays) == 0 || len(plan.Refused) > 0 {
				t.Errorf("left %v, refused %v", plan.Stays, plan.Refused)
			}
			_, err = plan.Apply(t.Context())
			gittest.Must(t, err)
			now := readTree(t, l.Dir)
			for path, file := range after {
				if strings.Contains(file, "changed by the run") && now[path] != file {
					t.Errorf("%q is %q now", path, now[path])
				}
			}
		})
	}
}

// inFormat creates the repository again with object ids of a kind. Git must read SHA-256 ids.
func inFormat(f *runtest.Repo, format string) {
	gittest.Must(f.T, os.RemoveAll(f.Path(".git")))
	f.Git("init", "-q", "-b", "main", "--object-format="+format)
	f.Git("config", "user.name", "A")
	f.Git("config", "user.email", "a@example.org")
	base(f)
}

// undoRest takes back the changes that are not at or below a path, and returns why the rest was
// refused.
func (l *lab) undoRest(but string) string {
	l.T.Helper()
	l.request.Edits, l.request.Committed = without(l.request.Edits, but), without(l.request.Committed, but)
	return l.undo()
}

// without leaves out the path of a submodule, because its change cannot be taken back.
func without(changes []edits.Change, path string) []edits.Change {
	return slices.DeleteFunc(changes, func(e edits.Change) bool { return e.Path == path })
}

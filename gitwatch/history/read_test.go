package history

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/internal/testing/gittest"
	"agentflow/memory/changeset"
	"agentflow/memory/markdown"
)

// read renders all commits of HEAD as "subject: changes", a change a line.
func read(f *gittest.Repo, r Range) string {
	f.T.Helper()
	refs, err := IDs(f.T.Context(), f.Dir, r)
	gittest.Must(f.T, err)
	var ids []string
	for _, ref := range refs {
		ids = append(ids, ref.ID)
	}
	commits, err := Read(f.T.Context(), f.Dir, ids)
	gittest.Must(f.T, err)
	var lines []string
	for i, c := range commits {
		if c.ID != refs[i].ID || !c.Time.Equal(refs[i].Time) {
			f.T.Errorf("commit %d is %s of %v, want %v", i, c.ID, c.Time, refs[i])
		}
		changes := strings.ReplaceAll(gittest.Show(changeset.List{Items: c.Files, Unread: c.Unread}), "\n", ", ")
		lines = append(lines, c.Subject+": "+changes)
	}
	return strings.Join(lines, "\n")
}

// storied makes a history with every kind of commit, and says what it is.
func storied(f *gittest.Repo) string {
	odd := "a \"b\"\tc\n\xff"
	f.Commit("first", "one.txt", strings.Repeat("line\n", 20), odd, "x", "bin", "\x00\x01")
	f.Git("mv", "one.txt", "moved.txt")
	f.Commit("move", "moved.txt", strings.Repeat("line\n", 21))
	f.Git("commit", "-q", "--allow-empty", "-m", "nothing")
	f.Git("checkout", "-q", "-b", "side")
	f.Commit("aside", "side.txt", "s\n", "both.txt", "side\n")
	f.Git("checkout", "-q", "main")
	f.Git("rm", "-q", "bin")
	f.Commit("gone", "both.txt", "main\n")
	_, err := f.Try("merge", "-q", "--no-ff", "side")
	if err == nil {
		f.T.Fatal("a merge without a conflict")
	}
	f.Commit("bring in", "both.txt", "both\n")
	f.Git("checkout", "-q", "-b", "other", "HEAD~1")
	f.Commit("elsewhere", "else.txt", "e\n")
	f.Git("checkout", "-q", "main")
	f.Git("merge", "-q", "--no-ff", "-m", "clean merge", "other")
	f.Git("update-index", "--add", "--cacheinfo", "160000,"+strings.TrimSpace(f.Git("rev-parse", "HEAD"))+",sub")
	f.Git("commit", "-q", "-m", "submodule")
	return strings.Join([]string{
		"first: A " + strings.ReplaceAll(odd, "\n", ", ") + " +1 -0, A bin, A one.txt +20 -0",
		"move: R moved.txt <- one.txt +1 -0",
		"nothing: ",
		"aside: A both.txt +1 -0, A side.txt +1 -0",
		"gone: D bin, A both.txt +1 -0",
		"bring in: M both.txt",
		"elsewhere: A else.txt +1 -0",
		"clean merge: ",
		"submodule: A sub",
	}, "\n")
}

func TestReadCommits(t *testing.T) {
	f := gittest.New(t)
	_, err := IDs(t.Context(), f.Dir, Range{})
	if !errors.Is(err, ErrNoCommit) {
		t.Errorf("unborn: %v", err)
	}
	all := storied(f)
	gittest.Want(t, "all", read(f, Range{}), all)
	lines := strings.Split(all, "\n")
	if n, err := Count(t.Context(), f.Dir); n != len(lines) || err != nil {
		t.Errorf("%d commits, not %d: %v", n, len(lines), err)
	}
	gittest.Want(t, "the last", read(f, Range{Last: 2}), strings.Join(lines[7:], "\n"))
	gittest.Want(t, "a branch", read(f, Range{Rev: "side"}), strings.Join(lines[:4], "\n"))
	last, err := time.Parse(time.RFC3339, strings.TrimSpace(f.Git("log", "-1", "--format=%cI")))
	gittest.Must(t, err)
	gittest.Want(t, "since", read(f, Range{Since: last}), lines[8])
	f.Git("update-ref", "refs/remotes/origin/main", "HEAD~1")
	gittest.Want(t, "what no remote has", read(f, Range{Local: true}), lines[8])
	gone := strings.TrimSpace(f.Git("rev-parse", "HEAD~2"))
	gittest.Want(t, "without", read(f, Range{Without: gone}), strings.Join(lines[6:], "\n"))
	if refs, err := Times(t.Context(), f.Dir, []string{strings.Repeat("1", 40), gone}); len(refs) != 1 || refs[0].ID != gone || err != nil {
		t.Errorf("times: %v, %v", refs, err)
	}
	if _, err := IDs(t.Context(), f.Dir, Range{Rev: "--all"}); !errors.Is(err, ErrNoCommit) {
		t.Errorf("an option for a name: %v", err)
	}
	for _, setting := range []string{"log.showSignature true", "log.showRoot false", "diff.renames false", "diff.relative true", "color.ui always",
		"format.pretty oneline", "log.date iso", "log.follow true", "diff.orderFile nowhere", "log.diffMerges first-parent", "core.abbrev 5",
		"core.quotePath false", "diff.noprefix true", "diff.ignoreSubmodules all"} {
		key, value, _ := strings.Cut(setting, " ")
		f.Git("config", key, value)
	}
	gittest.Want(t, "whatever is set", read(f, Range{}), all)
}

func TestReadCommitsThatAreNotThere(t *testing.T) {
	f := gittest.New(t)
	f.Commit("one", "a", "a\n")
	id := strings.TrimSpace(f.Git("rev-parse", "HEAD"))
	list, err := Read(t.Context(), f.Dir, []string{strings.Repeat("1", 40), id, id})
	if err != nil || len(list) != 1 || list[0].ID != id {
		t.Errorf("got %v, %v", list, err)
	}
	if list, err := Read(t.Context(), f.Dir, nil); len(list) != 0 || err != nil {
		t.Errorf("of none: %v, %v", list, err)
	}
	if _, err := Read(t.Context(), t.TempDir(), []string{id}); err == nil {
		t.Error("outside of git")
	}
}

func TestReadCommitsOfAShallowClone(t *testing.T) {
	f := gittest.New(t)
	f.Commit("one", "a", "a\n")
	f.Commit("two", "a", "b\n")
	f.Commit("three", "a", "c\n")
	clone := f.At(filepath.Join(t.TempDir(), "clone"), f.Run)
	f.Git("clone", "-q", "--depth=2", "file://"+f.Dir, clone.Dir)
	gittest.Want(t, "shallow", read(clone, Range{}), "two: UNREAD the history of this clone begins here\nthree: M a +1 -1")
}

func TestReadCommitsOfOtherShapes(t *testing.T) {
	for name, args := range map[string][]string{"SHA-256": {"--object-format=sha256"}, "bare": {"--bare"}} {
		f := gittest.New(t)
		all := ""
		if name == "bare" {
			all = storied(f)
			from := f.Dir
			f.Dir = filepath.Join(t.TempDir(), "bare")
			gittest.Must(t, os.MkdirAll(f.Dir, 0o755))
			f.Git("clone", "-q", "--bare", from, ".")
		} else {
			f.Dir = t.TempDir()
			f.Git(append([]string{"init", "-q", "-b", "main"}, args...)...)
			all = storied(f)
		}
		gittest.Want(t, name, read(f, Range{}), all)
	}
}

func TestCommitEntry(t *testing.T) {
	at := time.Date(2026, 3, 1, 23, 30, 0, 0, time.FixedZone("", -5*3600))
	c := Commit{
		ID: strings.Repeat("ab", 20), Time: at, Subject: "auth: the secret is hunter2", Body: "Long ago.\n\nSigned-off-by: A\n",
		Files: []changeset.Change{
			{Status: changeset.StatusModified, Path: "a.go", Added: 1, Counted: true},
			{Status: changeset.StatusAdded, Path: "private/x"}, {Status: changeset.StatusRenamed, Path: "y", OldPath: "private/y"},
			{Status: changeset.StatusAdded, Path: ".agentflow/memory/x.md"},
		},
	}
	redact := func(s string) string { return strings.ReplaceAll(s, "hunter2", "[redacted]") }
	ignore := func(path string) bool { return strings.HasPrefix(path, "private/") }
	e := Entry(c, redact, ignore)
	gittest.Want(t, "entry", string(markdown.Format(e)), `## 2026-03-01 23:30 · auth: the secret is [redacted]

<!-- agentflow v=1 kind=commit id=`+e.ID+` time=2026-03-01T23:30:00-05:00 commits=`+c.ID+` -->

**Commit**: abababa (1 commit)

**Task**: auth: the secret is [redacted]

  Long ago.

  Signed-off-by: A

### Changes
- M a.go (+1 −0)

---

`)
	if len(c.Files) != 4 || c.Files[1].Path != "private/x" {
		t.Error("the commit was changed")
	}
	if again := EntryID(c.ID, at.UTC()); again != e.ID || again[14] != '7' || !strings.HasPrefix(again, fmt.Sprintf("%012x", at.UnixMilli())[:8]) {
		t.Errorf("ids %s and %s", again, e.ID)
	}
	if EntryID(strings.Repeat("ac", 20), at) == e.ID {
		t.Error("two commits have one id")
	}
	c.Files = nil
	for i := range 300 {
		c.Files = append(c.Files, changeset.Change{Status: changeset.StatusAdded, Path: fmt.Sprintf("d%d/f", i)})
	}
	c.Body = strings.Repeat("word ", 2000)
	for _, unix := range []int64{-1 << 60, 1 << 60} {
		c.Time = time.Unix(unix, 0)
		e = Entry(c, redact, ignore)
		read := markdown.Parse(markdown.Format(e)).Entries()
		if len(read) != 1 || !read[0].Time.Equal(e.Time) || len(e.Changes.Items) > changeset.MaxChanges || len([]rune(e.Task)) > maxMessage {
			t.Errorf("of %d: %v", unix, read)
		}
	}
}

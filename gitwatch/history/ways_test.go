package history

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"agentflow/internal/testing/gittest"
)

// lose takes an object out of a repository that was not packed.
func lose(f *gittest.Repo, name string) {
	f.T.Helper()
	id := strings.TrimSpace(f.Git("rev-parse", name))
	gittest.Must(f.T, os.Remove(f.Path(".git/objects/"+id[:2]+"/"+id[2:])))
}

// numbered makes n commits of one file, "commit 0" first.
func numbered(f *gittest.Repo, n int) {
	for i := range n {
		f.Commit(fmt.Sprint("commit ", i), "a", strings.Repeat("line\n", i+1))
	}
}

// TestReadCommitsOfMissingContents: only the commits that need missing objects are returned without
// line counts, or without their files.
func TestReadCommitsOfMissingContents(t *testing.T) {
	for name, c := range map[string]struct {
		lost string
		want []string // by commit
	}{
		"nothing":             {"", []string{"A a +1 -0", "M a +1 -0", "M a +1 -0", "M a +1 -0"}},
		"the last contents":   {"HEAD:a", []string{"A a +1 -0", "M a +1 -0", "M a +1 -0", "M a"}},
		"contents in between": {"HEAD~2:a", []string{"A a +1 -0", "M a", "M a", "M a +1 -0"}},
		"the first contents":  {"HEAD~3:a", []string{"A a", "M a", "M a +1 -0", "M a +1 -0"}},
		"a tree":              {"HEAD~2^{tree}", []string{"A a +1 -0", "UNREAD " + NoFiles, "UNREAD " + NoFiles, "M a +1 -0"}},
	} {
		f := gittest.New(t)
		numbered(f, 4)
		if c.lost != "" {
			lose(f, c.lost)
		}
		var want []string
		for i, changes := range c.want {
			want = append(want, fmt.Sprintf("commit %d: %s", i, changes))
		}
		gittest.Want(t, name, read(f, Range{}), strings.Join(want, "\n"))
	}
}

// TestReadCommitsOfABloblessClone: as good as all contents are missing, and git is not
// asked about each commit.
func TestReadCommitsOfABloblessClone(t *testing.T) {
	from := gittest.New(t)
	numbered(from, 100)
	from.Git("config", "uploadpack.allowFilter", "true")
	f := from.At(t.TempDir()+"/clone", from.Run)
	from.Git("clone", "-q", "--filter=blob:none", "--no-checkout", "file://"+from.Dir, f.Dir)
	all := read(f, Range{})
	if strings.Count(all, "\n") != 99 || strings.Contains(all, "+") || !strings.HasSuffix(all, "commit 99: M a") {
		t.Errorf("got %s", all)
	}
	refs, err := IDs(t.Context(), f.Dir, Range{})
	gittest.Must(t, err)
	var ids []string
	for _, r := range refs {
		ids = append(ids, r.ID)
	}
	commits, err := Read(t.Context(), f.Dir, ids)
	gittest.Must(t, err)
	for _, c := range commits {
		if !c.Uncounted || c.Unread != "" {
			t.Errorf("%s: uncounted %v, unread %q", c.Subject, c.Uncounted, c.Unread)
		}
	}
}

func TestReadCommitsOfAMissingMerge(t *testing.T) {
	f := gittest.New(t)
	storied(f)
	lose(f, "HEAD~1^{tree}")
	all := read(f, Range{})
	if !strings.Contains(all, "clean merge: UNREAD "+NoFiles) || !strings.Contains(all, "bring in: M both.txt") {
		t.Errorf("got %s", all)
	}
}

package worktree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"agentflow/internal/testing/gittest"
)

// treeFixture is a repository with a commit, and a folder for its work trees.
func treeFixture(t *testing.T) (f *gittest.Repo, trees string) {
	f = gittest.New(t)
	f.Write("a.txt", "a\n")
	f.Write(".gitignore", "*.log\n")
	f.Commit("start")
	return f, filepath.Join(filepath.Dir(f.Dir), "repo.trees")
}

// everything is each file below dir but those of skip, with its contents.
func everything(t *testing.T, dir string, skip ...string) string {
	t.Helper()
	var b strings.Builder
	gittest.Must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		for _, s := range skip {
			if strings.HasPrefix(filepath.ToSlash(name), s) {
				return nil
			}
		}
		if d.IsDir() {
			return nil
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s %q\n", name, data)
		return err
	}))
	return b.String()
}

func TestAWorktreeLeavesTheUsersAlone(t *testing.T) {
	f, trees := treeFixture(t)
	f.Write("a.txt", "edited\n")
	f.Write("staged.txt", "s\n")
	f.Git("add", "staged.txt")
	f.Write("loose.txt", "l\n")
	before := everything(t, f.Dir, ".git/objects")
	wasHead := strings.TrimSpace(f.Git("rev-parse", "HEAD"))

	tree, err := Add(t.Context(), f.Dir, filepath.Join(trees, "one"), "agentflow/one")
	gittest.Must(t, err)
	if !tree.New || tree.Base != wasHead || tree.Branch != "agentflow/one" {
		t.Errorf("%+v", tree)
	}
	if data, _ := os.ReadFile(filepath.Join(tree.Path, "a.txt")); string(data) != "a\n" {
		t.Errorf("a.txt holds %q", data)
	}
	left, err := tree.Left(t.Context())
	gittest.Must(t, err)
	if left != (Left{On: "agentflow/one"}) {
		t.Errorf("a new work tree holds %+v", left)
	}
	own := []string{".git/objects", ".git/worktrees/one", ".git/refs/heads/agentflow/one", ".git/logs/refs/heads/agentflow/one"}
	gittest.Want(t, "repository beside the work tree", everything(t, f.Dir, own...), before)
	gittest.Must(t, tree.Remove(t.Context()))
	gittest.Want(t, "repository after it", everything(t, f.Dir, ".git/objects"), before)
	if n, err := Uncommitted(t.Context(), f.Dir); err != nil || n != 3 {
		t.Errorf("%d uncommitted paths, %v", n, err)
	}
}

func TestAWorktreeOnABranchThatIsThere(t *testing.T) {
	f, trees := treeFixture(t)
	f.Git("branch", "feature/x")
	tree, err := Add(t.Context(), f.Dir, filepath.Join(trees, "x"), "feature/x")
	gittest.Must(t, err)
	if tree.New {
		t.Error("it says that it made the branch")
	}
	var used *BranchInUseError
	if _, err := Add(t.Context(), f.Dir, filepath.Join(trees, "y"), "feature/x"); !errors.As(err, &used) || used.Path != tree.Path {
		t.Errorf("a second one on it: %v", err)
	}
	if _, err := Add(t.Context(), f.Dir, filepath.Join(trees, "y"), "main"); !errors.As(err, &used) || !SamePath(used.Path, f.Dir) {
		t.Errorf("one on the user's: %v", err)
	}
	gittest.Must(t, tree.Remove(t.Context()))
	names, err := Branches(t.Context(), f.Dir)
	gittest.Must(t, err)
	gittest.Want(t, "branches", strings.Join(names, " "), "feature/x main")
}

// TestAWorktreeThatFailsLeavesNothing makes each way of failing happen.
func TestAWorktreeThatFailsLeavesNothing(t *testing.T) {
	f, trees := treeFixture(t)
	hook := f.Path(".git/hooks/post-checkout")
	gittest.Must(t, os.MkdirAll(filepath.Dir(hook), 0o755))
	before := everything(t, f.Dir, ".git/objects", ".git/hooks")
	path := filepath.Join(trees, "new")
	nothing := func(t *testing.T, err error, says string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want %q in it", err, says)
		}
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is there", path)
		}
		gittest.Want(t, "repository", everything(t, f.Dir, ".git/objects", ".git/hooks"), before)
	}
	for _, name := range []string{"-x", "a b", "HEAD", "@{-1}", "a..b", ""} {
		_, err := Add(t.Context(), f.Dir, path, name)
		nothing(t, err, "is no name for a branch")
	}
	_, err := Add(t.Context(), f.Dir, path, "main/below")
	nothing(t, err, "refs/heads/main")

	gittest.Must(t, os.WriteFile(hook, []byte("#!/bin/sh\necho the hook has no node >&2\nexit 3\n"), 0o755))
	_, err = Add(t.Context(), f.Dir, path, "new")
	nothing(t, err, "the hook has no node")

	begun := filepath.Join(filepath.Dir(f.Dir), "begun")
	gittest.Must(t, os.WriteFile(hook, []byte("#!/bin/sh\nexec >/dev/null 2>&1\ntouch '"+begun+"'\nwhile [ -e '"+begun+"' ]; do :; done\n"), 0o755))
	ctx, stop := context.WithCancelCause(t.Context())
	go func() {
		stop(cmp.Or(awaitFile(begun), errors.New("the user's wish")))
	}()
	_, err = Add(ctx, f.Dir, path, "new")
	gittest.Must(t, os.Remove(begun))
	nothing(t, err, "the user's wish")
}

func awaitFile(path string) error {
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); {
		if _, err := os.Stat(path); err == nil {
			return nil
		}
		time.Sleep(time.Millisecond)
	}
	return errors.New("there is no " + path)
}

func TestAWorktreeNeedsACommit(t *testing.T) {
	f := gittest.New(t)
	_, err := Add(t.Context(), f.Dir, filepath.Join(filepath.Dir(f.Dir), "w"), "new")
	if !errors.Is(err, ErrUnborn) {
		t.Errorf("error %v", err)
	}
}

func TestAWorktreeOfABareRepository(t *testing.T) {
	f, trees := treeFixture(t)
	bare := filepath.Join(filepath.Dir(f.Dir), "bare.git")
	f.Git("clone", "-q", "--bare", f.Dir, bare)
	tree, err := Add(t.Context(), bare, filepath.Join(trees, "b"), "main")
	gittest.Must(t, err)
	if data, _ := os.ReadFile(filepath.Join(tree.Path, "a.txt")); string(data) != "a\n" {
		t.Errorf("a.txt holds %q", data)
	}
	gittest.Must(t, tree.Remove(t.Context()))
}

// TestWhatAWorktreeHolds checks that Left finds work where there is some, and that Remove loses
// none.
func TestWhatAWorktreeHolds(t *testing.T) {
	f, trees := treeFixture(t)
	for i, c := range []struct {
		name  string
		do    func(w *gittest.Repo)
		want  Left
		stays bool // Remove refuses
		keeps bool // the branch is there afterwards
	}{
		{"nothing", func(*gittest.Repo) {}, Left{}, false, false},
		{"edits", func(w *gittest.Repo) { w.Write("a.txt", "b\n"); w.Write("new/x", "x"); w.Git("mv", ".gitignore", "i") }, Left{Uncommitted: 3}, true, true},
		{"ignored", func(w *gittest.Repo) { w.Write("x.log", "x") }, Left{Ignored: 1}, false, false},
		{"a commit", func(w *gittest.Repo) { w.Write("n", "n"); w.Commit("n") }, Left{Moved: true}, false, true},
		{"a commit taken back", func(w *gittest.Repo) { w.Write("n", "n"); w.Commit("n"); w.Git("reset", "-q", "--hard", "HEAD~") }, Left{Moved: true}, false, false},
		{"a commit on no branch", func(w *gittest.Repo) { w.Git("checkout", "-q", "--detach"); w.Write("n", "n"); w.Commit("n") }, Left{Moved: true, Loose: true}, false, false},
		{"another branch", func(w *gittest.Repo) { w.Git("checkout", "-q", "-b", "other"); w.Write("n", "n"); w.Commit("n") }, Left{Moved: true}, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			branch := fmt.Sprintf("b%d", i)
			tree, err := Add(t.Context(), f.Dir, filepath.Join(trees, branch), branch)
			gittest.Must(t, err)
			c.do(f.At(tree.Path, f.Run))
			left, err := tree.Left(t.Context())
			gittest.Must(t, err)
			if on := map[string]string{"another branch": "other", "a commit on no branch": ""}; left.On != branch {
				if name, moved := on[c.name]; !moved || left.On != name {
					t.Errorf("on branch %q", left.On)
				}
			}
			if left.On = ""; left != c.want {
				t.Errorf("holds %+v, want %+v", left, c.want)
			}
			if err := tree.Remove(t.Context()); (err != nil) != c.stays {
				t.Errorf("Remove: %v", err)
			}
			if _, err := os.Stat(tree.Path); (err == nil) != c.stays {
				t.Errorf("the folder afterwards: %v", err)
			}
			if _, err := f.Try("rev-parse", "--verify", "-q", "refs/heads/"+branch); (err == nil) != c.keeps {
				t.Errorf("the branch afterwards: %v", err)
			}
		})
	}
}

// TestWorktreesAtOnce makes eight at the same moment, with somebody
// committing in the main one.
func TestWorktreesAtOnce(t *testing.T) {
	f, trees := treeFixture(t)
	var group sync.WaitGroup
	made := make([]*Linked, 8)
	errs := make([]error, 8)
	for i := range made {
		group.Go(func() {
			name := fmt.Sprintf("n%d", i)
			made[i], errs[i] = Add(t.Context(), f.Dir, filepath.Join(trees, name), "agentflow/"+name)
		})
	}
	for i := range 5 {
		f.Write("a.txt", fmt.Sprint(i))
		f.Commit("meanwhile")
	}
	group.Wait()
	gittest.Must(t, errors.Join(errs...))
	list, err := List(t.Context(), f.Dir)
	gittest.Must(t, err)
	if len(list) != 9 {
		t.Fatalf("git lists %+v", list)
	}
	for _, tree := range made {
		group.Go(func() {
			if err := tree.Remove(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	names, err := Branches(t.Context(), f.Dir)
	gittest.Must(t, err)
	gittest.Want(t, "branches", strings.Join(names, " "), "main")
}

func TestEnvInNamesNoOtherRepository(t *testing.T) {
	got := EnvIn([]string{"A=1", "GIT_DIR=/x", "GIT_INDEX_FILE=i", "GIT_AUTHOR_NAME=Me", "PWD=/x", "OLDPWD=/y"}, "/w")
	gittest.Want(t, "environment", strings.Join(got, " "), "A=1 GIT_AUTHOR_NAME=Me PWD=/w")
}

func FuzzParseWorktrees(f *testing.F) {
	f.Add("worktree /a\x00HEAD 12\x00branch refs/heads/main\x00\x00worktree /b\x00HEAD 12\x00detached\x00locked initializing\x00\x00")
	f.Add("worktree /a b\n\x00bare\x00\x00worktree /c\x00prunable gone\x00\x00")
	f.Add("branch refs/heads/x\x00worktree")
	f.Fuzz(func(t *testing.T, out string) {
		if n := strings.Count("\x00"+out, "\x00worktree"); len(parseWorktrees(out)) > n {
			t.Errorf("more work trees than %d", n)
		}
	})
}

func FuzzCountStatus(f *testing.F) {
	f.Add("R  new\x00old\x00!! x.log\x00?? n\x00")
	f.Add(" M a\nb\x00")
	f.Fuzz(func(t *testing.T, out string) {
		changed, ignored := countStatus(out)
		if entries := strings.Count(out, "\x00") + 1; changed+ignored > entries || changed < 0 || ignored < 0 {
			t.Errorf("%d and %d of %d entries", changed, ignored, entries)
		}
	})
}

package worktree

import (
	"os"
	"path/filepath"
	"testing"

	"agentflow/internal/testing/gittest"
)

// withSubmodules is a repository with a submodule that has one itself.
func withSubmodules(t *testing.T) (f *gittest.Repo, trees string) {
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "protocol.file.allow")
	t.Setenv("GIT_CONFIG_VALUE_0", "always")
	inner := gittest.New(t)
	inner.Write("inner.txt", "i\n")
	inner.Commit("inner")
	outer := gittest.New(t)
	outer.Write("outer.txt", "o\n")
	outer.Git("submodule", "--quiet", "add", inner.Dir, "inner")
	outer.Commit("outer")
	f, trees = treeFixture(t)
	f.Git("submodule", "--quiet", "add", outer.Dir, "outer")
	f.Commit("with submodules")
	return f, trees
}

func TestSubmodulesKeepOnlyWhatWouldBeLost(t *testing.T) {
	for name, c := range map[string]struct {
		fill    bool              // check the submodules out
		git     map[string]string // more git commands, by folder
		write   string            // a file
		commits int
		stays   bool
	}{
		"absent":     {},
		"filled":     {fill: true},
		"untracked":  {fill: true, write: "outer/inner/new.txt", stays: true},
		"committed":  {fill: true, git: map[string]string{"outer/inner": "commit"}, commits: 1, stays: true},
		"stashed":    {fill: true, write: "outer/outer.txt", git: map[string]string{"outer": "stash"}, commits: 2, stays: true},
		"own folder": {fill: true, git: map[string]string{"outer": "separate"}, commits: 1, stays: true},
	} {
		t.Run(name, func(t *testing.T) {
			f, trees := withSubmodules(t)
			tree, err := Add(t.Context(), f.Dir, filepath.Join(trees, "one"), "agentflow/one")
			gittest.Must(t, err)
			run := func(in string, args ...string) {
				f.Git(append([]string{"-C", filepath.Join(tree.Path, in), "-c", "user.name=A", "-c", "user.email=a@x"}, args...)...)
			}
			if c.fill {
				run("", "submodule", "--quiet", "update", "--init", "--recursive")
			}
			if c.write != "" {
				gittest.Must(t, os.WriteFile(filepath.Join(tree.Path, c.write), []byte("new\n"), 0o600))
			}
			for in, what := range c.git {
				switch what {
				case "commit": // and go back, so that no status shows it
					run(in, "commit", "--quiet", "--allow-empty", "-m", "of its own")
					run(in, "branch", "kept")
					run(in, "reset", "--quiet", "--hard", "HEAD~")
				case "stash":
					run(in, "stash", "push", "--quiet")
				case "separate":
					dir := filepath.Join(tree.Path, in)
					gittest.Must(t, os.Remove(filepath.Join(dir, ".git")))
					run("", "clone", "--quiet", "--bare", f.Dir, filepath.Join(dir, ".git"))
					run(in, "--git-dir=.git", "config", "core.bare", "false")
					run(in, "remote", "remove", "origin")
				}
			}
			n, err := SubmoduleCommits(t.Context(), tree.Path)
			gittest.Must(t, err)
			if (n > 0) != (c.commits > 0) {
				t.Errorf("%d commits would be lost, want %d", n, c.commits)
			}
			if err := tree.Remove(t.Context()); (err != nil) != c.stays {
				t.Errorf("removal: %v", err)
			}
		})
	}
}

package hook

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestWhatGitDoesIsNoted(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.install(l.repo, Installed, Installed)
	commit := func(dir string) Event {
		return Event{Kind: KindCommit, New: l.head(dir), Worktree: dir}
	}

	l.write(l.path("sub folder/x"), "1", 0o644)
	l.git("add", ".")
	if out := l.run(l.path("sub folder"), "git", "commit", "-q", "-m", "one"); out != "" {
		t.Errorf("the hook said %q", out)
	}
	l.expect("a commit from a folder below", l.repo, commit(l.repo))

	old := l.head(l.repo)
	l.git("commit", "-q", "--amend", "-m", "two")
	l.expect("amend", l.repo, commit(l.repo),
		Event{Kind: KindRewrite, Old: old, New: l.head(l.repo), Worktree: l.repo})

	l.git("checkout", "-q", "-b", "side", "HEAD~")
	var replayed []string
	for _, name := range []string{"s1", "s2", "s3"} {
		l.write(l.path(name), name, 0o644)
		l.git("add", ".")
		l.git("commit", "-q", "-m", name)
		replayed = append(replayed, l.head(l.repo))
	}
	if got := l.taken(l.repo); len(got) != 3 {
		t.Errorf("three commits: %+v", got)
	}
	l.git("rebase", "-q", "main")
	var pairs []Event
	for i, id := range strings.Fields(l.git("rev-list", "--reverse", "main..side")) {
		pairs = append(pairs, Event{Kind: KindRewrite, Old: replayed[i], New: id, Worktree: l.repo})
	}
	l.expect("a rebase of three", l.repo, pairs...)

	l.git("cherry-pick", "HEAD~", "--allow-empty", "--keep-redundant-commits")
	l.expect("a cherry-pick, which the reflog tells", l.repo)
	l.git("revert", "--no-edit", "HEAD~3..HEAD~2")
	l.expect("a revert of several", l.repo)

	l.git("checkout", "-q", "main")
	l.write(l.path("s1"), "other", 0o644)
	l.git("add", ".")
	l.git("commit", "-q", "-m", "in the way")
	l.taken(l.repo)
	if _, code := l.try(l.repo, "git", "merge", "-q", "side"); code == 0 {
		t.Fatal("the merge met no conflict")
	}
	l.git("commit", "-q", "-a", "-m", "merged by hand")
	l.expect("the commit of a merge", l.repo, commit(l.repo))

	l.git("checkout", "-q", "--detach")
	l.git("commit", "-q", "--allow-empty", "-m", "detached")
	l.expect("a detached HEAD", l.repo, commit(l.repo))

	linked := filepath.Join(filepath.Dir(l.repo), "linked tree")
	l.git("worktree", "add", "-q", linked, "side")
	l.run(linked, "git", "commit", "-q", "--allow-empty", "-m", "there")
	there := commit(linked)
	there.Linked = "linked-tree"
	l.expect("a linked work tree", l.repo, there)
	l.env = []string{"GIT_DIR=" + l.path(".git/worktrees/linked-tree") + "/"}
	l.run(linked, "sh", l.path(".git/hooks/post-commit"))
	l.expect("a git directory named with a slash", l.repo, there)
	l.env = nil
	l.run(linked, "git", "commit", "-q", "--allow-empty", "-m", "there")
	gone := commit(linked)
	gone.Linked, gone.Worktree = "linked-tree", ""
	l.git("worktree", "remove", linked)
	l.expect("a linked work tree that is gone", l.repo, gone)
}

func TestTheEnvironmentOfAHook(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.install(l.repo, Installed, Installed)
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"user.name=A", "user.email=a@example.org"}
	commit := []string{"-c", names[0], "-c", names[1], "commit", "-q", "--allow-empty", "-m", "x"}
	run := "0199a1b2-0000-7000-8000-00000000abcd"
	for _, c := range []struct {
		what, dir string
		env       []string
		run       string
	}{
		{"no environment at all", l.repo, nil, ""},
		{"no HOME, an empty PATH", l.repo, []string{"PATH="}, ""},
		{"GIT_DIR and GIT_WORK_TREE", os.TempDir(), []string{"GIT_DIR=" + l.path(".git") + "/", "GIT_WORK_TREE=" + l.repo}, ""},
		{"GIT_INDEX_FILE", l.repo, []string{"GIT_INDEX_FILE=" + l.path("other index")}, ""},
		{"a run", l.repo, []string{"AGENTFLOW_RUN_ID=" + run}, run},
		{"an odd run", l.repo, []string{"AGENTFLOW_RUN_ID=a b\nc"}, ""},
	} {
		cmd := exec.Command(git, commit...)
		cmd.Dir, cmd.Env = c.dir, append([]string{}, c.env...)
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v: %s", c.what, err, out)
		}
		l.expect(c.what, l.repo, Event{Kind: KindCommit, New: l.head(l.repo), Worktree: l.repo, Run: c.run})
	}
}

func TestShapesOfRepositories(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.write(l.path("x"), "1", 0o644)
	l.git("add", ".")
	l.git("commit", "-q", "-m", "x")
	dir := filepath.Dir(l.repo)

	bare, tree := filepath.Join(dir, "bare.git"), filepath.Join(dir, "of bare")
	l.run(dir, "git", "clone", "-q", "--bare", l.repo, bare)
	l.install(bare, Installed, Installed) // before there is a work tree
	l.run(bare, "git", "worktree", "add", "-q", "-b", "other", tree)
	l.look(tree, Installed, Installed)
	l.run(tree, "git", "commit", "-q", "--allow-empty", "-m", "y")
	l.expect("bare with a work tree", bare, Event{Kind: KindCommit, New: l.head(tree), Worktree: tree, Linked: "of-bare"})

	super := filepath.Join(dir, "super")
	l.run(dir, "git", "init", "-q", super)
	l.run(super, "git", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", l.repo, "sub")
	sub := filepath.Join(super, "sub")
	l.install(sub, Installed, Installed)
	l.run(sub, "git", "commit", "-q", "--allow-empty", "-m", "z")
	l.expect("a submodule", sub, Event{Kind: KindCommit, New: l.head(sub), Worktree: sub})
	l.run(super, "git", "commit", "-q", "-m", "super")
	l.expect("not its outer repository", sub)
}

func TestWhileGitReplaysCommits(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.install(l.repo, Installed, Installed)
	for _, name := range []string{"rebase-merge", "rebase-apply", "sequencer", "CHERRY_PICK_HEAD", "REVERT_HEAD", "MERGE_HEAD", "BISECT_LOG"} {
		l.write(l.path(".git/"+name), "", 0o644)
		l.run(l.repo, "sh", ".git/hooks/post-commit")
		if err := os.Remove(l.path(".git/" + name)); err != nil {
			t.Fatal(err)
		}
		l.expect(name, l.repo)
	}
	l.run(l.repo, "sh", ".git/hooks/post-commit")
	l.expect("none of them", l.repo, Event{Kind: KindCommit, New: l.head(l.repo), Worktree: l.repo})
}

// Where the name of a reference is no file, git is asked.
func TestAnIDThatIsInNoFile(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.install(l.repo, Installed, Installed)
	l.git("pack-refs", "--all")
	if _, err := os.Stat(l.path(".git/refs/heads/main")); err == nil {
		t.Fatal("the reference was not packed")
	}
	l.run(l.repo, "sh", ".git/hooks/post-commit")
	l.expect("a packed reference", l.repo, Event{Kind: KindCommit, New: l.head(l.repo), Worktree: l.repo})
}

// A hook that was there commits itself: ours notes both, and nothing loops.
func TestAHookThatCommits(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.write(l.path(".git/hooks/post-commit"), "#!/bin/sh\n[ -n \"$AGENTFLOW_RUN_ID\" ] || AGENTFLOW_RUN_ID=r git commit -q --allow-empty -m inner\n", 0o755)
	l.install(l.repo, Installed, Installed)
	l.git("commit", "-q", "--allow-empty", "-m", "outer")
	l.expect("a commit by a hook", l.repo,
		Event{Kind: KindCommit, New: l.git("rev-parse", "HEAD~"), Worktree: l.repo},
		Event{Kind: KindCommit, New: l.head(l.repo), Worktree: l.repo, Run: "r"})
}

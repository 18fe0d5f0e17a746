package worktree_test

import (
	"path/filepath"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/app/list"
	"agentflow/app/worktree"
	"agentflow/internal/testing/apptest"
)

// TestWorktreesAreTakenOver asks for every operation on work trees, and for the
// kinds of their refusals.
func TestWorktreesAreTakenOver(t *testing.T) {
	p := apptest.NewRepository(t)
	m, ctx := p.Memory(), t.Context()
	committed := p.RunInTree(m, "Commit it", "echo a > a; git add a; git commit -qm A")
	left := p.RunInTree(m, "Leave it", "echo b > b")
	listed, err := worktree.Worktrees(ctx, m, worktree.WorktreesRequest{})
	if err != nil || len(listed.Worktrees) != 2 || len(listed.Stand) != 2 {
		t.Fatalf("%+v, %v", listed, err)
	}
	first, second := listed.Worktrees[0], listed.Worktrees[1]
	if first.Path != left || first.State != worktree.TreeDirty || first.Uncommitted != 1 || first.MergedInto != "main" || first.Run == "" || first.StartedAt == nil {
		t.Errorf("%+v", first)
	}
	if second.Path != committed || second.State != worktree.TreeClean || second.Ahead != 1 || second.MergedInto != "" || !strings.HasSuffix(second.Run, second.Ref) {
		t.Errorf("%+v", second)
	}
	names := worktree.WorktreeNames(ctx, m)
	if len(names) != 2 || names[0] != (worktree.RunName{ID: first.Ref, Title: "Leave it"}) {
		t.Errorf("%+v", names)
	}

	_, err = worktree.MergeWorktree(ctx, m, worktree.MergeWorktreeRequest{Ref: "none"})
	apptest.WantKind(t, err, app.KindNotFound)
	_, err = worktree.MergeWorktree(ctx, m, worktree.MergeWorktreeRequest{Ref: "last"})
	apptest.WantKind(t, err, app.KindRefused)
	_, err = worktree.RemoveWorktrees(ctx, m, worktree.RemoveWorktreesRequest{})
	apptest.WantKind(t, err, app.KindUsage)
	_, err = worktree.RemoveWorktrees(ctx, m, worktree.RemoveWorktreesRequest{Refs: []string{first.Ref, second.Ref}})
	apptest.WantKind(t, err, app.KindRefused)
	if again, err := worktree.Worktrees(ctx, m, worktree.WorktreesRequest{}); err != nil || len(again.Worktrees) != 2 {
		t.Errorf("a refusal removed something: %+v, %v", again, err)
	}

	merged, err := worktree.MergeWorktree(ctx, m, worktree.MergeWorktreeRequest{Ref: second.Branch})
	if err != nil || merged.Into != "main" || merged.Commits != 1 || !merged.Concluded || merged.Commit != strings.TrimSpace(p.Git("rev-parse", "main")) {
		t.Errorf("%+v, %v", merged, err)
	}
	if merged, err = worktree.MergeWorktree(ctx, m, worktree.MergeWorktreeRequest{Ref: left, Commit: true}); err != nil || merged.Commits != 1 || !p.Exists("b") {
		t.Errorf("%+v, %v", merged, err)
	}
	if title := strings.TrimSpace(p.Git("log", "-1", "--format=%s", first.Branch)); title != "Leave it" {
		t.Errorf("the work was committed as %q", title)
	}
	removed, err := worktree.RemoveWorktrees(ctx, m, worktree.RemoveWorktreesRequest{Merged: true})
	if err != nil || len(removed.Removed) != 2 || removed.Removed[0].Branch != first.Branch || removed.Removed[0].Lost != "" {
		t.Errorf("%+v, %v", removed, err)
	}
	if branches := p.Git("branch", "--list", "agentflow/*"); branches != "" {
		t.Errorf("%s are left", branches)
	}
	shown, err := list.Show(ctx, m, list.ShowRequest{Ref: first.Ref})
	if err != nil || len(shown.Run.Later) != 1 {
		t.Errorf("%+v, %v", shown.Run, err)
	}
	diff, err := list.Diff(ctx, m, list.DiffRequest{Run: second.Ref, Patch: true})
	if err != nil || !strings.Contains(string(diff.Patch), "+a\n") || !diff.Diff.Complete {
		t.Errorf("%+v, %v", diff, err)
	}
}

// TestMergeThatConflictsChangesNothing also where files of the user are changed.
func TestMergeThatConflictsChangesNothing(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	tree := p.RunInTree(m, "Theirs", "echo theirs > README; git commit -qam theirs")
	p.Write("README", "ours\n")
	p.Git("commit", "-qam", "ours")
	p.Write("other", "mine\n")
	was := p.Git("rev-parse", "HEAD")
	_, err := worktree.MergeWorktree(t.Context(), m, worktree.MergeWorktreeRequest{Ref: tree})
	apptest.WantKind(t, err, app.KindRefused)
	if !strings.Contains(err.Error(), "conflicts in README; nothing was changed here") {
		t.Error(err)
	}
	if now := p.Git("rev-parse", "HEAD"); now != was || p.Read("README") != "ours\n" || p.Read("other") != "mine\n" {
		t.Errorf("%s, README %q", now, p.Read("README"))
	}
	if _, err := p.TryGit("rev-parse", "--verify", "-q", "MERGE_HEAD"); err == nil {
		t.Error("a merge was left")
	}
}

func TestRefsOfWorktrees(t *testing.T) {
	for _, c := range []struct{ path, branch, want string }{
		{"/x/repo.agentflow/fix-it-3f9a1c", "agentflow/fix-it-3f9a1c", "3f9a1c"},
		{"/x/repo.agentflow/feature-x-3f9a1c", "feature/x", "3f9a1c"},
		{"", "agentflow/fix-it-3f9a1c", "3f9a1c"},
		{"", "feature/x-3f9a1c", "feature/x-3f9a1c"},
		{"/x/repo.agentflow/odd", "agentflow/odd", "agentflow/odd"},
	} {
		if got := worktree.RefOf(filepath.FromSlash(c.path), c.branch); got != c.want {
			t.Errorf("%s, %s: %q, want %q", c.path, c.branch, got, c.want)
		}
	}
}

func TestMergedIntoCountsTheUsersBranches(t *testing.T) {
	tree := &worktree.RunTree{}
	tree.Branch = "agentflow/a-3f9a1c"
	for holding, want := range map[string]string{
		"refs/heads/agentflow/a-3f9a1c":                                                     "",
		"refs/heads/agentflow/a-3f9a1c refs/heads/agentflow/b-000000":                       "",
		"refs/heads/agentflow/a-3f9a1c refs/remotes/origin/agentflow/a-3f9a1c":              "",
		"refs/heads/agentflow/a-3f9a1c refs/remotes/origin/main":                            "origin/main",
		"refs/heads/agentflow/a-3f9a1c refs/heads/next refs/remotes/origin/main":            "next",
		"refs/heads/agentflow/a-3f9a1c refs/remotes/origin/agentflow/b-000000 refs/heads/z": "z",
	} {
		if got := tree.IsMergedInto(strings.Fields(holding)); got != want {
			t.Errorf("%s: %q, want %q", holding, got, want)
		}
	}
}

package worktree

import (
	"path/filepath"
	"slices"
	"testing"

	"agentflow/app"
	"agentflow/internal/config"
)

func TestWorktreesStandBesideTheRepository(t *testing.T) {
	for root, want := range map[string][]string{
		"/x/repo":     {"/x/repo.agentflow", "repo-"},
		"/x/repo.git": {"/x/repo.agentflow", "repo-"}, // bare
		"/x/p/.git":   {"/x/p/p.agentflow", "p-"},     // bare, in the folder of its work trees
		"/":           {"root-"},
	} {
		s := &app.Repo{Place: config.Place{Root: filepath.Join(root, ".agentflow")}, Dirs: config.Dirs{State: "/state"}}
		got := treeFolders(s)
		last := len(got) - 1
		state := "/state/worktrees/" + want[last] + filepath.Base(s.Dirs.Fallback(s.Place))
		if len(got) != len(want) || filepath.ToSlash(got[last]) != filepath.Clean(state) || !slices.Equal(got[:last], want[:last]) {
			t.Errorf("%s: %q, want %q and %q", root, got, want[:last], state)
		}
		if tree := filepath.Join(got[0], "one"); !isTree(s, tree) || isTree(s, filepath.Join(tree, "below")) || isTree(s, root) {
			t.Errorf("%s: what is a work tree of a run is not told", root)
		}
	}
}

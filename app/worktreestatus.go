package app

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"agentflow/api"
	"agentflow/executor"
	"agentflow/gitwatch/worktree"
)

// treesLeft lists the work trees of runs that are over.
func (s *site) treesLeft(ctx context.Context, live []executor.LiveRun) ([]api.Worktree, error) {
	out := []api.Worktree{}
	if s.CommonDir == "" || !isDir(filepath.Join(s.CommonDir, "worktrees")) {
		return out, nil // spares asking git
	}
	trees, err := worktree.List(ctx, s.gitFolder())
	for _, t := range trees {
		if s.isTree(t.Path) && !worksIn(live, t.Path) {
			out = append(out, api.Worktree{Path: t.Path, Branch: t.Branch, Remove: removal(t)})
		}
	}
	return out, err
}

func worksIn(live []executor.LiveRun, tree string) bool {
	for _, r := range live {
		if worktree.SamePath(r.WorkTree, tree) {
			return true
		}
	}
	return false
}

// removal is the command that takes a work tree away, and the branch that was
// made with it. Git refuses while they hold work that is nowhere else.
func removal(t worktree.Listed) string {
	command := "git worktree remove " + shellWord(t.Path)
	if _, err := os.Lstat(t.Path); t.Gone || err != nil {
		command = "git worktree prune"
	} else if t.Unmade { // its run never began
		command = "git worktree remove -f -f " + shellWord(t.Path)
	}
	if strings.HasPrefix(t.Branch, branchPrefix) {
		command += " && git branch -d " + shellWord(t.Branch)
	}
	return command
}

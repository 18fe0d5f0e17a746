package app

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"agentflow/executor"
	"agentflow/gitwatch/worktree"
)

// treeObject is a work tree that a run was given and that nobody works in, as
// status shows it.
type treeObject struct {
	Path   string `json:"path"`
	Branch string `json:"branch"` // empty when detached
	Remove string `json:"remove"` // the command that takes it away, and no work with it
}

// treesLeft lists the work trees of runs that are over.
func (s *site) treesLeft(ctx context.Context, live []executor.LiveRun) ([]treeObject, error) {
	out := []treeObject{}
	if s.CommonDir == "" || !isDir(filepath.Join(s.CommonDir, "worktrees")) {
		return out, nil // spares asking git
	}
	trees, err := worktree.List(ctx, s.gitFolder())
	for _, t := range trees {
		if s.isTree(t.Path) && !worksIn(live, t.Path) {
			out = append(out, treeObject{t.Path, t.Branch, removal(t)})
		}
	}
	return out, err
}

// tellTrees names the work trees that stay when all else of ours goes.
func (s *site) tellTrees(ctx context.Context) {
	trees, err := s.treesLeft(ctx, nil)
	if err != nil {
		s.warn("%v", err)
	}
	for _, t := range trees {
		s.say("leaves work tree %s on branch %s; when it is merged: %s", t.Path, t.Branch, t.Remove)
	}
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

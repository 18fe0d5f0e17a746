package settle

import (
	"context"
	"slices"
	"strings"

	"agentflow/app"
	"agentflow/gitwatch/worktree"
)

// BranchPrefixes begin the names of the branches of runs. The second one is used if a branch
// has the name of the first one's folder, because git then makes no branches in that folder.
var BranchPrefixes = []string{"agentflow/", "agentflow-run/"}

// IsOfRun reports whether the name of a branch is one that runs are given.
func IsOfRun(branch string) bool {
	return slices.ContainsFunc(BranchPrefixes, func(p string) bool { return strings.HasPrefix(branch, p) })
}

// BranchPrefix returns the prefix for a new branch.
func BranchPrefix(ctx context.Context, s *app.Repo) string {
	for _, prefix := range BranchPrefixes {
		taken, err := worktree.Taken(ctx, app.GitFolder(s), strings.TrimSuffix(prefix, "/"))
		if err == nil && !taken {
			return prefix
		}
	}
	return BranchPrefixes[0] // git's error names the branch in the way
}

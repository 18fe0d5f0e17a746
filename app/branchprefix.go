package app

import (
	"context"
	"slices"
	"strings"

	"agentflow/gitwatch/worktree"
)

// branchPrefixes begin the names of the branches of runs. The second one is used if a branch
// has the name of the first one's folder, because git then makes no branches in that folder.
var branchPrefixes = []string{"agentflow/", "agentflow-run/"}

// isOfRun reports whether the name of a branch is one that runs are given.
func isOfRun(branch string) bool {
	return slices.ContainsFunc(branchPrefixes, func(p string) bool { return strings.HasPrefix(branch, p) })
}

// branchPrefix returns the prefix for a new branch.
func branchPrefix(ctx context.Context, s *openMemory) string {
	for _, prefix := range branchPrefixes {
		taken, err := worktree.Taken(ctx, gitFolder(s), strings.TrimSuffix(prefix, "/"))
		if err == nil && !taken {
			return prefix
		}
	}
	return branchPrefixes[0] // git's error names the branch in the way
}

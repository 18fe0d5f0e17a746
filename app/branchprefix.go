package app

import (
	"context"
	"slices"
	"strings"

	"agentflow/gitwatch/worktree"
)

// branchPrefixes stand before the branches that runs are given: the first one, or the other
// where a branch has the name of its folder, in which git then makes no branches.
var branchPrefixes = []string{"agentflow/", "agentflow-run/"}

// isOfRun says whether a branch has a name as runs are given.
func isOfRun(branch string) bool {
	return slices.ContainsFunc(branchPrefixes, func(p string) bool { return strings.HasPrefix(branch, p) })
}

// branchPrefix is the one for a new branch.
func (s *openMemory) branchPrefix(ctx context.Context) string {
	for _, prefix := range branchPrefixes {
		taken, err := worktree.Taken(ctx, s.gitFolder(), strings.TrimSuffix(prefix, "/"))
		if err == nil && !taken {
			return prefix
		}
	}
	return branchPrefixes[0] // git says what is in the way
}

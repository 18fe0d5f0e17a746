package gitwatch

import (
	"strings"

	"agentflow/gitwatch/internal/git"
)

// madeBy returns the commits that a run's moves made, each with the move that
// first named it. A commit counts when it first appears as the new value of
// HEAD or a branch, in a move that is not one to an existing commit.
func madeBy(moves []refMove) map[git.ID]refMove {
	seen := map[git.ID]bool{}
	made := map[git.ID]refMove{}
	for _, m := range moves {
		seen[m.old] = true // it was there before this move
		if m.new == "" || seen[m.new] {
			continue
		}
		seen[m.new] = true
		if isLocal(m.ref) && !movesOnly(m.message) {
			made[m.new] = m
		}
	}
	return made
}

// broughtBy returns the commits that moves from elsewhere set HEAD or a
// branch to: fast-forwards, pulls and fetches.
func broughtBy(moves []refMove) []git.ID {
	var tips []git.ID
	for _, m := range moves {
		brought := strings.Contains(m.message, "Fast-forward") || strings.HasPrefix(m.message, "pull") ||
			strings.HasPrefix(m.message, "fetch") || strings.HasPrefix(m.message, "clone")
		fetched := strings.HasPrefix(m.ref, "refs/remotes/") && m.message != "update by push"
		if m.new != "" && (fetched || brought && movesOnly(m.message)) {
			tips = append(tips, m.new)
		}
	}
	return tips
}

func isLocal(ref string) bool { return ref == "HEAD" || strings.HasPrefix(ref, git.BranchPrefix) }

// movesOnly says whether a reflog message tells of a move to a commit that
// existed already.
func movesOnly(message string) bool {
	for _, prefix := range []string{
		"checkout:", "reset:", "branch:", "Branch:", "clone:", "fetch", "update by push", "push", "switch:",
		"worktree", "bisect", "initial pull",
	} {
		if strings.HasPrefix(message, prefix) {
			return true
		}
	}
	if strings.HasSuffix(message, ": Fast-forward") || strings.HasSuffix(message, ": fast-forward") ||
		strings.HasSuffix(message, ": forced-update") || strings.HasSuffix(message, ": storing head") {
		return true
	}
	step, _, _ := strings.Cut(message, ":")
	if strings.HasPrefix(step, "rebase") || strings.HasPrefix(step, "pull") {
		for _, s := range []string{"(start)", "(finish)", "(abort)", " finished", " checkout"} {
			if strings.Contains(step, s) {
				return true
			}
		}
		return strings.HasPrefix(message, "rebase: checkout") || strings.HasPrefix(message, "rebase finished") ||
			strings.HasPrefix(message, "rebase: updating HEAD")
	}
	return false
}

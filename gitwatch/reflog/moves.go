package reflog

import (
	"slices"
	"strings"

	"agentflow/gitwatch/history"
	"agentflow/gitwatch/internal/git"
)

// MadeBy returns the commits that a run's moves made, each with the move that first named
// it. A commit counts when it first appears as the new value of HEAD or a branch, in a
// move that is not to an existing commit.
func MadeBy(moves []Move) map[git.ID]Move {
	seen := map[git.ID]bool{}
	made := map[git.ID]Move{}
	for _, m := range moves {
		seen[m.Old] = true // it existed before this move
		if m.New == "" || seen[m.New] {
			continue
		}
		seen[m.New] = true
		if isLocal(m.Ref) && !movesOnly(m.Message) {
			made[m.New] = m
		}
	}
	return made
}

// Commits reports whether a move is that of git commit itself, which always makes a new commit,
// with any date.
func (m Move) Commits() bool { return strings.HasPrefix(m.Message, "commit") }

// BroughtBy returns the commits that moves from elsewhere set HEAD or a branch to: fast-forwards,
// pulls and fetches.
func BroughtBy(moves []Move) []git.ID {
	var tips []git.ID
	for _, m := range moves {
		brought := strings.Contains(m.Message, "Fast-forward") || hasAny(strings.HasPrefix, m.Message, "pull", "fetch", "clone")
		fetched := strings.HasPrefix(m.Ref, "refs/remotes/") && m.Message != "update by push"
		if m.New != "" && (fetched || brought && movesOnly(m.Message)) {
			tips = append(tips, m.New)
		}
	}
	return tips
}

func isLocal(ref string) bool { return ref == "HEAD" || strings.HasPrefix(ref, git.BranchPrefix) }

// movesOnly reports whether a reflog message is about a move to an existing commit.
func movesOnly(message string) bool {
	step, _, _ := strings.Cut(message, ":")
	return hasAny(strings.HasPrefix, message, "checkout:", "reset:", "branch:", "Branch:", "clone:", "fetch", "update by push", "push", "switch:",
		"worktree", "bisect", "initial pull", "rebase: checkout", "rebase finished", "rebase: updating HEAD") ||
		hasAny(strings.HasSuffix, message, ": Fast-forward", ": fast-forward", ": forced-update", ": storing head") ||
		hasAny(strings.HasPrefix, step, "rebase", "pull") && hasAny(strings.Contains, step, "(start)", "(finish)", "(abort)", " finished", " checkout")
}

func hasAny(has func(text, part string) bool, text string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return has(text, part) })
}

// Arrivals lists the commits that came into a repository, by its reflogs. All ids are full ones in
// hex.
type Arrivals struct {
	Made     []string          // commits made here: by commit, merge, cherry-pick, revert, rebase, am
	Brought  []history.Range   // commits that merges and pulls put onto HEAD or a branch
	Amended  []Rewrite         // commits that were replaced by an amended form
	Branches map[string]string // for commits: the short name of a branch they were put on
}

// arrivals sorts the moves of several reflogs. The moves of each are in order.
func arrivals(moves []Move) Arrivals {
	a := Arrivals{Branches: map[string]string{}}
	for _, m := range moves {
		if m.New == "" {
			continue
		}
		id := m.New.String()
		if branch, ok := strings.CutPrefix(m.Ref, git.BranchPrefix); ok {
			a.Branches[id] = branch
		}
		command := firstWord(m.Message)
		if makes[command] && !movesOnly(m.Message) && !slices.Contains(a.Made, id) {
			a.Made = append(a.Made, id)
		}
		if (command == "merge" || command == "pull") && m.Old != "" {
			span := history.Range{Rev: id, Without: m.Old.String()}
			if !slices.Contains(a.Brought, span) {
				a.Brought = append(a.Brought, span)
			}
		}
		if w := (Rewrite{m.Old.String(), id}); strings.HasPrefix(m.Message, "commit (amend)") && m.Old != "" && !slices.Contains(a.Amended, w) {
			a.Amended = append(a.Amended, w)
		}
	}
	return a
}

// makes holds the first words of the reflog messages of git commands that make commits.
var makes = map[string]bool{
	"commit": true, "merge": true, "pull": true, "cherry-pick": true, "revert": true, "rebase": true, "am": true,
}

func firstWord(message string) string {
	if end := strings.IndexAny(message, " :"); end >= 0 {
		return message[:end]
	}
	return message
}

package reflog

import (
	"slices"
	"strings"

	"agentflow/gitwatch/history"
	"agentflow/gitwatch/internal/git"
)

// Arrivals is what came into a repository, as its reflogs tell. All ids are
// full ones in hex.
type Arrivals struct {
	Made     []string          // commits made here: by commit, merge, cherry-pick, revert, rebase, am
	Brought  []history.Range   // what merges and pulls put onto HEAD or a branch
	Amended  []Rewrite         // commits that were replaced by an amended form
	Branches map[string]string // of commits: the short name of a branch they were put on
}

// arrivals sorts the moves of several reflogs, each in its order.
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
		verb := firstWord(m.Message)
		if makes[verb] && !movesOnly(m.Message) && !slices.Contains(a.Made, id) {
			a.Made = append(a.Made, id)
		}
		if (verb == "merge" || verb == "pull") && m.Old != "" {
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

// makes are the words that begin the reflog messages of git's verbs that make
// commits.
var makes = map[string]bool{
	"commit": true, "merge": true, "pull": true, "cherry-pick": true, "revert": true, "rebase": true, "am": true,
}

func firstWord(message string) string {
	if end := strings.IndexAny(message, " :"); end >= 0 {
		return message[:end]
	}
	return message
}

// Origins gives, by the id of a commit, the commits that it was made of, as
// the record of RecordRewrites in file tells.
func Origins(file string) (map[string][]string, error) {
	next, err := ReadRewrites(file)
	if err != nil {
		return nil, err
	}
	origins := map[string][]string{}
	for from, list := range next {
		for _, to := range list {
			origins[to] = append(origins[to], from)
		}
	}
	return origins, nil
}

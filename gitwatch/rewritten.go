package gitwatch

import (
	"context"
	"slices"
	"strings"

	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/objects"
	"agentflow/gitwatch/reflog"
)

// Amending or rebasing makes a new commit from an older one. The changes of a commit from before
// the run are not the run's.

// amended returns the commit from before the run that c amends, directly or not, or "" if c amends
// none.
func amended(c git.ID, made map[git.ID]reflog.Move) git.ID {
	first := c
	for {
		m, ok := made[first]
		if !ok {
			return first // it existed before
		}
		if !strings.HasPrefix(m.Message, "commit (amend)") || m.Old == first {
			return ""
		}
		first = m.Old
	}
}

// rebaseOriginals maps the commits that a rebase made to their originals, which are no longer
// reachable from HEAD. Author and author's time identify them.
func rebaseOriginals(own []*objects.Commit, made map[git.ID]reflog.Move, left []*objects.Commit) map[git.ID]*objects.Commit {
	byAuthor := map[string]*objects.Commit{}
	for _, c := range left {
		byAuthor[c.Author] = c
	}
	out := map[git.ID]*objects.Commit{}
	for _, c := range own {
		message := made[c.ID].Message
		step, _, _ := strings.Cut(message, ":")
		if !strings.Contains(step, "rebase") {
			continue
		}
		if original, ok := byAuthor[c.Author]; ok {
			out[c.ID] = original
		}
	}
	return out
}

// replacedBase returns the commit that a run began on if the run's first commit replaced it: both
// have the same parent, and the branch no longer leads to it.
func replacedBase(ctx context.Context, o *objects.Reader, first *objects.Commit, from Origin) (git.ID, error) {
	base := git.KnownID(from.Base)
	if len(first.Parents) != 1 {
		return "", nil
	}
	var branch git.ID
	refs, err := o.Store.Refs()
	for _, ref := range refs {
		if from.Branch != "" && string(ref.Name) == git.BranchPrefix+from.Branch {
			branch = git.KnownID(ref.ID)
		}
	}
	if err != nil {
		return "", err
	}
	stays, err := o.NewCommits(ctx, []git.ID{first.ID, branch}, []git.ID{base})
	if err != nil || len(stays) == 0 {
		return "", err
	}
	if beside, err := o.NewCommits(ctx, []git.ID{base}, first.Parents); err != nil || len(beside) > 0 {
		return "", err
	}
	return base, nil
}

// amendedByRun lists the commits by others, new since the start, that a commit of the run replaced.
// Their changes are those of others.
func amendedByRun(ctx context.Context, o *objects.Reader, start *snapshot, own []*objects.Commit) ([]*objects.Commit, error) {
	var amended []git.ID
	isOwn := objects.ByID(own)
	for _, c := range own {
		if c.Amends != "" {
			amended = append(amended, c.Amends)
		}
	}
	if len(amended) == 0 {
		return nil, nil
	}
	since, err := o.NewCommits(ctx, tipsOf(start, ""), amended)
	return slices.DeleteFunc(since, func(c *objects.Commit) bool { return isOwn[c.ID] != nil }), err
}

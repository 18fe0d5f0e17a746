package gitwatch

import (
	"context"
	"slices"
	"strings"

	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/reflog"
)

// Amending or rebasing makes a new commit out of one that was there before.
// What the old one changed is not the run's.

// amended returns the commit from before the run that c is an amended form
// of; zero when c is not one.
func amended(c git.ID, made map[git.ID]reflog.Move) git.ID {
	first := c
	for {
		m, ok := made[first]
		if !ok {
			return first // it was there before
		}
		if !strings.HasPrefix(m.Message, "commit (amend)") || m.Old == first {
			return ""
		}
		first = m.Old
	}
}

// lost lists the commits that start had on its branches and end has nowhere.
func (o *objects) lost(ctx context.Context, start, end *snapshot) ([]*commitInfo, error) {
	return o.newCommits(ctx, tips(end, "refs/"), tips(start, git.BranchPrefix))
}

// left lists the commits that start had on its branches and that do not lead
// to end's HEAD. Others than lost may be among them: a rebase leaves its
// originals on a tag, or on the remote's branch.
func (o *objects) left(ctx context.Context, start, end *snapshot) ([]*commitInfo, error) {
	return o.newCommits(ctx, []git.ID{end.head()}, tips(start, git.BranchPrefix))
}

// originals maps copies that a rebase made to the commits they copy, which
// what is checked out has left behind,
// known by author, author's time and subject.
func originals(own []*commitInfo, made map[git.ID]reflog.Move, left []*commitInfo) map[git.ID]*commitInfo {
	byAuthor := map[string]*commitInfo{}
	for _, c := range left {
		byAuthor[c.author] = c
	}
	out := map[git.ID]*commitInfo{}
	for _, c := range own {
		message := made[c.id].Message
		step, _, _ := strings.Cut(message, ":")
		if !strings.Contains(step, "rebase") {
			continue
		}
		if original, ok := byAuthor[c.author]; ok {
			out[c.id] = original
		}
	}
	return out
}

// news leaves out what a commit held already: squashing commits of before
// brings their contents in anew, and changes none.
func (o *objects) news(changes []netChange, commit git.ID) ([]netChange, error) {
	tree, err := o.treeOf(commit)
	if err != nil {
		return nil, err
	}
	var kept []netChange
	for _, n := range changes {
		was, err := o.lookup(tree, n.path)
		if err != nil {
			return nil, err
		}
		if n.after != was {
			kept = append(kept, n)
		}
	}
	return kept, nil
}

// replaced returns the commit a run began on where the run's first commit took
// its place: it stands on what that one stood on, and the branch has it no
// longer.
func (o *objects) replaced(ctx context.Context, first *commitInfo, from Origin) (git.ID, error) {
	base := git.KnownID(from.Base)
	if len(first.parents) != 1 {
		return "", nil
	}
	var branch git.ID
	refs, err := o.store.refs()
	for _, ref := range refs {
		if from.Branch != "" && string(ref.Name) == git.BranchPrefix+from.Branch {
			branch = git.KnownID(ref.ID)
		}
	}
	if err != nil {
		return "", err
	}
	stays, err := o.newCommits(ctx, []git.ID{first.id, branch}, []git.ID{base})
	if err != nil || len(stays) == 0 {
		return "", err
	}
	if beside, err := o.newCommits(ctx, []git.ID{base}, first.parents); err != nil || len(beside) > 0 {
		return "", err
	}
	return base, nil
}

// amendedOthers lists the commits that are new since the start, that somebody
// else made, and that are nowhere any more because a commit of the run took
// their place. What they changed moved beside the run.
func (o *objects) amendedOthers(ctx context.Context, start *snapshot, own []*commitInfo) ([]*commitInfo, error) {
	var amended []git.ID
	isOwn := byHash(own)
	for _, c := range own {
		if c.amends != "" {
			amended = append(amended, c.amends)
		}
	}
	if len(amended) == 0 {
		return nil, nil
	}
	since, err := o.newCommits(ctx, tips(start, ""), amended)
	return slices.DeleteFunc(since, func(c *commitInfo) bool { return isOwn[c.id] != nil }), err
}

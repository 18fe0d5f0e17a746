package gitwatch

import (
	"context"
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

package gitwatch

import (
	"context"
	"fmt"

	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/objects"
)

// Origin is where a run began: the full id of HEAD's commit, and the short name of
// its branch. Either may be empty.
type Origin struct{ Base, Branch string }

// CommittedBy returns the changes of commits, given by full ids, oldest first. It replaces
// edits.LoadCommitted for a run whose folder is gone. The state of the work tree is then unknown.
// If the first commit amended the one that the run began on, only the difference between the two
// counts.
func (r *Repo) CommittedBy(ctx context.Context, ids []string, from Origin) (out []edits.Change, err error) {
	defer git.Caught(&err)
	o := objects.Open(ctx, r.at)
	defer o.Close()
	var commits []*objects.Commit
	for _, id := range ids {
		c, err := o.Commit(git.KnownID(id))
		if err != nil {
			return nil, fmt.Errorf("read the changes of commits: %w", err)
		}
		commits = append(commits, c)
	}
	if len(commits) > 0 && from.Base != "" {
		commits[0].Amends, err = replacedBase(ctx, o, commits[0], from)
	}
	var net []objects.NetChange
	if err == nil {
		net, _, err = o.Compose(ctx, commits)
	}
	if err != nil {
		return nil, fmt.Errorf("read the changes of commits: %w", err)
	}
	for _, n := range net {
		for _, s := range n.Stretches() {
			out = append(out, edits.Change{
				Path: n.Path, Before: edits.File{Mode: s.Before.Mode, Hash: s.Before.Hash}, After: edits.File{Mode: s.After.Mode, Hash: s.After.Hash},
			})
		}
	}
	return out, nil
}

// ResolveCommit returns the full id of the commit that a revision names, as git
// reads revisions.
func (r *Repo) ResolveCommit(ctx context.Context, revision string) (string, error) {
	out, err := git.Text(ctx, r.at.Top, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if err != nil {
		return "", fmt.Errorf("look for commit %s: %w", revision, err)
	}
	return out, nil
}

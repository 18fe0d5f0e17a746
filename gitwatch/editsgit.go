package gitwatch

import (
	"context"
	"fmt"

	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/internal/git"
)

// Origin is where a run began: what HEAD was, by its full id, and the short
// name of the branch it was on. Either may be empty.
type Origin struct{ Base, Branch string }

// CommittedBy returns what commits, by their full ids, oldest first, changed:
// what edits.LoadCommitted returns, of a run whose folder is gone. What the work
// tree held is then not known. Where the first commit took the place of the one
// the run began on, as by an amend, what that one held is not the run's.
func (r *Repo) CommittedBy(ctx context.Context, ids []string, from Origin) (out []edits.Change, err error) {
	defer git.Caught(&err)
	o := openObjects(ctx, r.at)
	defer o.close()
	var commits []*commitInfo
	for _, id := range ids {
		c, err := o.commitInfo(git.KnownID(id))
		if err != nil {
			return nil, fmt.Errorf("read what commits changed: %w", err)
		}
		commits = append(commits, c)
	}
	if len(commits) > 0 && from.Base != "" {
		replaced, err := o.replaced(ctx, commits[0], from)
		if err != nil {
			return nil, fmt.Errorf("read what commits changed: %w", err)
		}
		commits[0].amends = replaced
	}
	net, _, err := o.compose(ctx, commits)
	if err != nil {
		return nil, fmt.Errorf("read what commits changed: %w", err)
	}
	for _, n := range net {
		for _, s := range n.stretches() {
			out = append(out, edits.Change{
				Path: n.path, Before: edits.File{Mode: s.before.Mode, Hash: s.before.Hash}, After: edits.File{Mode: s.after.Mode, Hash: s.after.Hash},
			})
		}
	}
	return out, nil
}

// ResolveCommit returns the full id of the commit that a revision, as git
// reads it, names.
func (r *Repo) ResolveCommit(ctx context.Context, revision string) (string, error) {
	out, err := git.Text(ctx, r.at.top, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if err != nil {
		return "", fmt.Errorf("look for commit %s: %w", revision, err)
	}
	return out, nil
}

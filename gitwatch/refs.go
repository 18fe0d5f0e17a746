package gitwatch

import (
	"context"
	"fmt"

	"agentflow/gitwatch/internal/git"
)

// ref is one reference and the object it names. Annotated tags name the tag.
type ref struct {
	Name git.Name `json:"name"`
	ID   string   `json:"id"`
}

// Head returns the short name of the branch that is checked out, empty when
// detached, and the full id of its commit, empty when there is none yet.
func (r *Repo) Head(ctx context.Context) (branch, commit string, err error) {
	defer git.Caught(&err)
	if err := ctx.Err(); err != nil {
		return "", "", err
	}
	s := openStore(ctx, r.at)
	defer s.close()
	name, id, err := s.head()
	if err != nil {
		return "", "", fmt.Errorf("read HEAD of %s: %w", r.at.given, err)
	}
	return git.ShortBranch(name), id.String(), nil
}

package gitwatch

import (
	"context"
	"fmt"
	"strings"
)

// ref is one reference and the object it names. Annotated tags name the tag.
type ref struct {
	Name rawName `json:"name"`
	ID   string  `json:"id"`
}

const branchPrefix = "refs/heads/"

// Head returns the short name of the branch that is checked out, empty when
// detached, and the full id of its commit, empty when there is none yet.
func (r *Repo) Head(ctx context.Context) (branch, commit string, err error) {
	if err := ctx.Err(); err != nil {
		return "", "", err
	}
	s := r.store(ctx)
	defer s.close()
	name, id, err := s.head()
	if err != nil {
		return "", "", fmt.Errorf("read HEAD of %s: %w", r.asked, err)
	}
	return shortBranch(name), id.String(), nil
}

func shortBranch(name string) string { return strings.TrimPrefix(name, branchPrefix) }

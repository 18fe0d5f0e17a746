package lookup

import (
	"context"
	"fmt"

	"agentflow/app"
)

// FullID is the length of a complete id.
const FullID = len("01938f6e-0000-7000-8000-000000000000")

// Branch returns the short name of the current branch.
func Branch(ctx context.Context, s *app.Repo) (string, error) {
	branch := ""
	repo, err := s.Repo(ctx)
	if err == nil {
		branch, _, err = repo.Head(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("finding the current branch: %w", err)
	}
	if branch == "" {
		err := app.Usagef("no branch is checked out")
		err.Hint = "name one: branch/NAME"
		return "", err
	}
	return branch, nil
}

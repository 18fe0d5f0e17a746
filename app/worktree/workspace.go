package worktree

import (
	"context"
	"errors"

	"agentflow/app"
	"agentflow/executor"
	"agentflow/gitwatch"
)

// WorkspaceAt opens one work tree, which may have been moved or removed. Each change set reports the parts that cannot
// be read.
func WorkspaceAt(ctx context.Context, s *app.Repo, workTree string, isMain bool) executor.Workspace {
	return WorkspaceOf(gitwatch.OpenAnywhere(ctx, s.CommonDir, workTree, isMain))
}

// IsMainTree reports whether the work tree is the repository's main one.
func IsMainTree(s *app.Repo) bool {
	return s.CommonDir != "" && s.Worktree != "" && s.Linked == ""
}

// WorkspaceOf returns an opened repository, or a workspace that reports why it could not be opened.
func WorkspaceOf(repo *gitwatch.Repo, err error) executor.Workspace {
	if err != nil {
		return gitwatch.NewUnreadable(err)
	}
	return repo
}

// Workspace opens the repository for change sets. It returns nil outside git.
func Workspace(ctx context.Context, s *app.Repo) executor.Workspace {
	repo, err := s.Repo(ctx)
	switch {
	case errors.Is(err, app.ErrNoGit):
		return nil
	case err != nil:
		return gitwatch.NewUnreadable(err)
	}
	return repo
}

package app

import (
	"context"
	"errors"

	"agentflow/executor"
	"agentflow/gitwatch"
)

// AppendError appends the text of an error, unless the error is nil.
func AppendError(lines []string, err error) []string {
	if err != nil {
		return append(lines, err.Error())
	}
	return lines
}

// WorkspaceAt opens one work tree, which may have been moved or removed. Each change set reports the parts that cannot
// be read.
func WorkspaceAt(ctx context.Context, s *Repo, workTree string, isMain bool) executor.Workspace {
	return WorkspaceOf(gitwatch.OpenAnywhere(ctx, s.CommonDir, workTree, isMain))
}

// IsMainTree reports whether the work tree is the repository's main one.
func IsMainTree(s *Repo) bool {
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
func Workspace(ctx context.Context, s *Repo) executor.Workspace {
	repo, err := s.Repo(ctx)
	switch {
	case errors.Is(err, ErrNoGit):
		return nil
	case err != nil:
		return gitwatch.NewUnreadable(err)
	}
	return repo
}

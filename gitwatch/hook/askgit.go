package hook

import (
	"context"
	"fmt"
	"path/filepath"

	"agentflow/gitwatch/internal/git"
)

// hooksFolder asks git for the folder in which it looks for the hooks of a
// work tree: core.hooksPath, wherever that is set, or the repository's own.
// The folder need not exist. The path is absolute.
func hooksFolder(ctx context.Context, workTree string) (string, error) {
	out, err := git.Text(ctx, workTree, "rev-parse", "--git-path", "hooks")
	if err != nil {
		return "", fmt.Errorf("finding the hooks of %s: %w", workTree, err)
	}
	folder := filepath.FromSlash(out)
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(workTree, folder)
	}
	return filepath.Clean(folder), nil
}

// isTracked says whether git tracks the file at path in its work tree.
func isTracked(ctx context.Context, workTree, path string) (bool, error) {
	out, err := git.Text(ctx, workTree, "ls-files", "-z", "--", ":(literal)"+path)
	if err != nil {
		return false, fmt.Errorf("asking git about %s: %w", path, err)
	}
	return out != "", nil
}

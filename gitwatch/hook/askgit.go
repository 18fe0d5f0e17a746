package hook

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"agentflow/gitwatch/internal/git"
)

// hooksFolder asks git for the folder in which it looks for the hooks of a
// work tree: core.hooksPath, wherever that is set, or the repository's own.
// The folder need not exist. The path is absolute.
func hooksFolder(ctx context.Context, workTree string) (string, error) {
	cmd, err := git.Command(ctx, workTree, "rev-parse", "--git-path", "hooks")
	if err != nil {
		return "", fmt.Errorf("finding the hooks of %s: %w", workTree, err)
	}
	out, err := cmd.Output()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		err = fmt.Errorf("%w: %s", err, git.OneLine(string(exit.Stderr)))
	}
	if err != nil {
		return "", fmt.Errorf("finding the hooks of %s: %w", workTree, err)
	}
	folder := filepath.FromSlash(strings.TrimSuffix(string(out), "\n"))
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(workTree, folder)
	}
	return filepath.Clean(folder), nil
}

// isTracked says whether git tracks the file at path in its work tree.
func isTracked(ctx context.Context, workTree, path string) (bool, error) {
	cmd, err := git.Command(ctx, workTree, "ls-files", "-z", "--", ":(literal)"+path)
	if err != nil {
		return false, fmt.Errorf("asking git about %s: %w", path, err)
	}
	out, err := cmd.Output()
	if err != nil {
		return false, fmt.Errorf("asking git about %s: %w", path, err)
	}
	return len(out) > 0, nil
}

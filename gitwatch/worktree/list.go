package worktree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"agentflow/gitwatch/internal/git"
)

// Listed is a work tree as git lists it.
type Listed struct {
	Path   string // absolute
	Head   string // full id; zeros when unborn, empty in a bare repository
	Branch string // short name; empty when detached
	Bare   bool   // no work tree at all, but the repository itself
	Gone   bool   // its folder is not there any more
	// Unmade says that git was killed while it made this one.
	Unmade bool
}

// List lists the work trees of the repository that dir is in, the main
// one first.
func List(ctx context.Context, dir string) ([]Listed, error) {
	out, err := askGit(ctx, dir, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return nil, fmt.Errorf("list work trees: %w", err)
	}
	return parseWorktrees(out), nil
}

// parseWorktrees reads what git-worktree(1) describes: attributes that end in
// NUL, and one more NUL after each work tree.
func parseWorktrees(out string) []Listed {
	var trees []Listed
	for _, attribute := range strings.Split(out, "\x00") {
		name, value, _ := strings.Cut(attribute, " ")
		if name == "worktree" {
			trees = append(trees, Listed{Path: filepath.FromSlash(value)})
			continue
		}
		if len(trees) == 0 {
			continue
		}
		t := &trees[len(trees)-1]
		switch name {
		case "HEAD":
			t.Head = value
		case "branch":
			t.Branch = git.ShortBranch(value)
		case "bare":
			t.Bare = true
		case "prunable":
			t.Gone = true
		case "locked":
			t.Unmade = value == "initializing"
		}
	}
	return trees
}

// Named is the path of the linked work tree that git keeps under name, whether
// or not it is still there.
func Named(commonDir, name string) (string, error) {
	if !filepath.IsLocal(name) {
		return "", fmt.Errorf("%q is no name of a work tree", name)
	}
	f, err := os.Open(filepath.Join(commonDir, "worktrees", name, "gitdir"))
	if err != nil {
		return "", fmt.Errorf("work tree %s is gone", name)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 1<<16))
	path := filepath.FromSlash(strings.TrimRight(string(text), "\n"))
	if err != nil || filepath.Base(path) != ".git" {
		return "", errors.Join(fmt.Errorf("git does not say where work tree %s is", name), err)
	}
	if path = filepath.Dir(path); !filepath.IsAbs(path) { // worktree.useRelativePaths
		path = filepath.Join(commonDir, "worktrees", name, path)
	}
	return path, nil
}

// Branches lists the short names of all branches.
func Branches(ctx context.Context, dir string) ([]string, error) {
	out, err := askGit(ctx, dir, "for-each-ref", "--format=%(refname:lstrip=2)", git.BranchPrefix)
	if err != nil {
		return nil, fmt.Errorf("list branches: %w", err)
	}
	return strings.Fields(out), nil
}

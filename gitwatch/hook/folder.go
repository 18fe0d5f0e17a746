package hook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"agentflow/gitwatch/internal/git"
	"agentflow/internal/config"
	"agentflow/internal/gitdir"
)

// folder is a folder in which git looks for hooks.
type folder struct {
	path  string
	trees []string // the work trees that use it
	tree  string   // the work tree that it is part of, if it is among its files
	repo  string   // the git directory that all work trees share
}

// folders finds the hook folder of each work tree of a repository. If one fails, it still returns
// the others.
func folders(ctx context.Context, place config.Place) (list []folder, failed error) {
	for _, tree := range workTrees(place) {
		path, err := hooksFolder(ctx, tree)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		i := slices.IndexFunc(list, func(f folder) bool { return f.path == path })
		if i < 0 {
			i, list = len(list), append(list, folder{path: path, repo: place.CommonDir})
		}
		list[i].trees = append(list[i].trees, tree)
		if within(tree, path) && !within(place.CommonDir, path) {
			list[i].tree = tree
		}
	}
	return list, failed
}

// workTrees returns the work trees of a repository, the main one first. For a bare repository
// without work trees it returns the repository itself, because it may get some.
func workTrees(place config.Place) (list []string) {
	if main := gitdir.MainRoot(place.CommonDir); main != place.CommonDir {
		list = append(list, main)
	} else if place.Linked == "" && place.Worktree != "" {
		list = append(list, place.Worktree)
	}
	names, _ := os.ReadDir(filepath.Join(place.CommonDir, "worktrees"))
	for _, name := range names {
		if path := worktreePath(place.CommonDir, name.Name()); path != "" {
			list = append(list, path)
		}
	}
	if list == nil {
		list = append(list, place.CommonDir)
	}
	return list
}

func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

func (f folder) shared() bool { return f.tree == "" && !within(f.repo, f.path) }

// missing returns why git runs no hooks from the folder. It returns "" if git does, or would if the
// folder existed.
func (f folder) missing() string {
	info, err := os.Stat(f.path)
	switch {
	case err == nil && info.IsDir():
		return ""
	case err == nil:
		return fmt.Sprintf("core.hooksPath names %s, which is no folder", f.path)
	case f.tree != "":
		return fmt.Sprintf("core.hooksPath is relative, and there is no %s: set it to an absolute path, or install your hooks in that work tree", f.path)
	case !errors.Is(err, os.ErrNotExist):
		return err.Error()
	}
	return ""
}

// hooksFolder asks git for the folder in which it looks for the hooks of a work tree: that of
// core.hooksPath, at any level of the config, or the repository's default. The folder need not
// exist. The path is absolute.
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

func isTracked(ctx context.Context, workTree, path string) (bool, error) {
	out, err := git.Text(ctx, workTree, "ls-files", "-z", "--", ":(literal)"+path)
	if err != nil {
		return false, fmt.Errorf("asking git about %s: %w", path, err)
	}
	return out != "", nil
}

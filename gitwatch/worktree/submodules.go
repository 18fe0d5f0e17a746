package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"agentflow/gitwatch/internal/git"
)

// SubmoduleCommits counts the commits and stashes that only the submodules of a linked work tree
// have. Git keeps the repositories of these submodules in the git directory of the work tree, so
// they are removed with the work tree. A commit counts unless a remote-tracking branch of the
// submodule reaches it.
func SubmoduleCommits(ctx context.Context, workTree string) (int, error) {
	count := 0
	repos, err := submoduleRepos(ctx, workTree)
	for _, repo := range repos {
		n, err := unpushed(ctx, repo)
		if err != nil {
			return 0, fmt.Errorf("look for commits in submodules of %s: %w", workTree, err)
		}
		count += n
	}
	return count, err
}

// submoduleRepos lists the git directories of submodules that are removed together with a linked
// work tree: those that git keeps under modules/, including those of submodules that are no longer
// checked out, and .git folders inside of the checkouts.
func submoduleRepos(ctx context.Context, workTree string) ([]string, error) {
	gitDir, err := askGit(ctx, workTree, "rev-parse", "--absolute-git-dir")
	if err != nil {
		return nil, err
	}
	repos, err := reposBelow(filepath.Join(filepath.FromSlash(gitDir), "modules"))
	if err != nil {
		return nil, err
	}
	inside, err := embeddedRepos(ctx, workTree)
	return append(repos, inside...), err
}

// reposBelow finds git directories in a folder, which need not exist.
func reposBelow(folder string) (repos []string, err error) {
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil || !d.IsDir():
			return err
		case d.Name() == "objects" && slices.Contains(repos, filepath.Dir(path)):
			return filepath.SkipDir
		case isFile(filepath.Join(path, "HEAD")) && isDir(filepath.Join(path, "objects")):
			repos = append(repos, path)
		}
		return nil
	})
	return repos, err
}

// embeddedRepos finds the submodules of a checkout that have a folder as .git, including those
// inside of other submodules.
func embeddedRepos(ctx context.Context, checkout string) (repos []string, err error) {
	paths, err := submodulePaths(ctx, checkout)
	for _, name := range paths {
		dir := filepath.Join(checkout, filepath.FromSlash(name))
		inside := filepath.Join(dir, ".git")
		if _, err := os.Lstat(inside); errors.Is(err, fs.ErrNotExist) {
			continue // it is not checked out
		}
		if isDir(inside) {
			repos = append(repos, inside)
		}
		nested, err := embeddedRepos(ctx, dir)
		if err != nil {
			return nil, err
		}
		repos = append(repos, nested...)
	}
	return repos, err
}

// submodulePaths lists the paths at which the index of a checkout has submodules.
func submodulePaths(ctx context.Context, checkout string) (paths []string, err error) {
	out, err := askGit(ctx, checkout, "ls-files", "--stage", "-z")
	for _, entry := range git.SplitZ(out) {
		if about, path, ok := strings.Cut(entry, "\t"); ok && strings.HasPrefix(about, "160000 ") {
			paths = append(paths, path)
		}
	}
	return paths, err
}

// unpushed counts the commits of a repository that none of its remote-tracking branches reaches.
// Tags are left out, because a fetch brings them without a branch.
func unpushed(ctx context.Context, gitDir string) (int, error) {
	// The checkout that the repository names may be gone, so another one is given.
	out, err := askGit(ctx, gitDir, "--git-dir="+gitDir, "--work-tree="+gitDir, "rev-list", "--count",
		"--exclude=refs/remotes/*", "--exclude=refs/tags/*", "--all", "--not", "--remotes")
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(out)
}

// dirtySubmodules lists the submodules of a work tree that hold changed or untracked files. A
// commit in the work tree does not include these files.
func dirtySubmodules(ctx context.Context, workTree string) (paths []string, err error) {
	out, err := askGit(ctx, workTree, "status", "--porcelain=v2", "-z", "--untracked-files=normal", "--ignore-submodules=none")
	for _, entry := range git.SplitZ(out) {
		// "1 XY SCMU …": C for another commit, M for changed files, U for untracked ones.
		fields := strings.SplitN(entry, " ", 9)
		if len(fields) == 9 && fields[0] == "1" && len(fields[2]) == 4 && fields[2][0] == 'S' && fields[2][2:] != ".." {
			paths = append(paths, fields[8])
		}
	}
	return paths, err
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func isDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

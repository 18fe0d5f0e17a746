package gitwatch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"agentflow/gitwatch/internal/git"
	"agentflow/internal/repofile"
)

// Repo is a git work tree that is watched: the main one or a linked one.
type Repo struct {
	root      string // the work tree, symlinks resolved
	asked     string // the work tree as the caller named it, absolute
	gitDir    string // this work tree's own git directory
	commonDir string // the repository's; equal to gitDir in the main work tree
	linked    string // name of the linked work tree, empty in the main one
	shape     shape
	memo      memo // what the last snapshot leaves for the next
}

// Open finds the repository of a work tree: workTree is its top folder, which
// holds .git (a folder, or a file that points to one). The error is an
// UnsupportedError where neither go-git nor a git program can read it.
func Open(ctx context.Context, workTree string) (r *Repo, err error) {
	defer git.Caught(&err)
	asked, err := filepath.Abs(workTree)
	if err != nil {
		return nil, fmt.Errorf("open repository %s: %w", workTree, err)
	}
	root, err := filepath.EvalSymlinks(asked)
	if err != nil {
		return nil, fmt.Errorf("open repository: %w", err)
	}
	r = &Repo{root: root, asked: asked}
	if r.gitDir, err = findGitDir(root); err != nil {
		return nil, fmt.Errorf("open repository %s: %w", workTree, err)
	}
	if err := r.findCommonDir(); err != nil {
		return nil, fmt.Errorf("open repository %s: %w", workTree, err)
	}
	if err := r.findShape(ctx); err != nil {
		return nil, err
	}
	return r, nil
}

// maxPointer bounds the files that name a git directory, in bytes.
const maxPointer = 64 << 10

// findGitDir resolves root/.git, which in linked work trees and submodules is
// a file of one line, "gitdir: PATH" (gitrepository-layout(5)).
func findGitDir(root string) (string, error) {
	dot := filepath.Join(root, ".git")
	info, err := os.Stat(dot)
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		return dot, nil
	}
	text, err := repofile.Read(dot, repofile.AnyLink, maxPointer)
	if err != nil {
		return "", err
	}
	path, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "gitdir: ")
	if !ok {
		return "", fmt.Errorf("%s does not name a git directory", dot)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(root, path)
	}
	if _, err := os.Stat(path); err != nil {
		return "", err
	}
	return filepath.Clean(path), nil
}

// findCommonDir reads gitDir/commondir, which only linked work trees have.
func (r *Repo) findCommonDir() error {
	r.commonDir = r.gitDir
	text, err := repofile.Read(filepath.Join(r.gitDir, "commondir"), repofile.AnyLink, maxPointer)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	path := strings.TrimRight(string(text), "\r\n")
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.gitDir, path)
	}
	r.commonDir = filepath.Clean(path)
	r.linked = filepath.Base(r.gitDir)
	return nil
}

// Root is the top folder of the work tree, symlinks resolved.
func (r *Repo) Root() string { return r.root }

// GitDir is the git directory of this work tree.
func (r *Repo) GitDir() string { return r.gitDir }

// CommonDir is the repository's git directory, which all work trees share.
func (r *Repo) CommonDir() string { return r.commonDir }

// Partial says whether contents may have been left with a remote (a partial
// clone).
func (r *Repo) Partial() bool { return r.shape.partial }

// store opens the objects and references anew.
func (r *Repo) store(ctx context.Context) store {
	if r.shape.byGit != "" {
		return &gitStore{repo: r, ctx: ctx}
	}
	return r.openGo()
}

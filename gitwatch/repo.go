package gitwatch

import (
	"context"
	"fmt"
	"path/filepath"

	"agentflow/gitwatch/internal/git"
	"agentflow/internal/gitdir"
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
	dirs, err := gitdir.Of(root)
	if err != nil {
		return nil, fmt.Errorf("open repository %s: %w", workTree, err)
	}
	r.gitDir, r.commonDir, r.linked = dirs.Git, dirs.Common, dirs.Linked
	if err := r.findShape(ctx); err != nil {
		return nil, err
	}
	return r, nil
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

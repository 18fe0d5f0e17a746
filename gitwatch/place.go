package gitwatch

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"agentflow/gitwatch/internal/git"
	"agentflow/internal/gitdir"
)

// place is a work tree, the main one or a linked one, and where its repository
// is.
type place struct {
	top    string // of the work tree, symlinks resolved
	given  string // the same as the caller named it, absolute
	dir    string // this work tree's own git directory
	common string // the repository's; equal to dir in the main work tree
	linked string // name of the linked work tree, empty in the main one
	shape
}

// findPlace finds the repository of a work tree: workTree is its top folder,
// which holds .git (a folder, or a file that points to one). The error is an
// UnsupportedError where neither go-git nor a git program can read it.
func findPlace(ctx context.Context, workTree string) (*place, error) {
	given, err := filepath.Abs(workTree)
	if err != nil {
		return nil, fmt.Errorf("open repository %s: %w", workTree, err)
	}
	p := &place{given: given}
	if p.top, err = filepath.EvalSymlinks(given); err != nil {
		return nil, fmt.Errorf("open repository: %w", err)
	}
	dirs, err := gitdir.Of(p.top)
	if err != nil {
		return nil, fmt.Errorf("open repository %s: %w", workTree, err)
	}
	p.dir, p.common, p.linked = dirs.Git, dirs.Common, dirs.Linked
	return p, p.findShape(ctx)
}

// ask asks the git program in the work tree.
func (p *place) ask(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	return git.Ask(ctx, p.top, stdin, args...)
}

// full is a path of the work tree as the system names it.
func (p *place) full(path string) string { return filepath.Join(p.top, filepath.FromSlash(path)) }

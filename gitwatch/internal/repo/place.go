// Package repo finds the repository of a work tree, its format, and the settings of git that decide
// how the work tree is compared.
//
// Guarantees: it runs git only for a repository that go-git cannot read, to find out whether git
// can. It reads the settings with their includes in git's order.
//
// Not guaranteed: it supports only gitdir of the conditions of includeIf.
package repo

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"agentflow/gitwatch/internal/git"
	"agentflow/internal/gitdir"
)

// Place is a work tree, the main one or a linked one, with the place of its repository.
type Place struct {
	Top       string // of the work tree, symlinks resolved
	Given     string // the same as the caller named it, absolute
	GitDir    string // the git directory of this work tree
	CommonDir string // the git directory of the repository; equal to GitDir in the main work tree
	Linked    string // name of the linked work tree, empty in the main one
	shape
}

// Find finds the repository of a work tree, given by its top folder, which holds .git (a folder, or
// a file that points to one). The error is an UnsupportedError if neither go-git nor a git program
// can read it.
func Find(ctx context.Context, workTree string) (*Place, error) {
	given, err := filepath.Abs(workTree)
	if err != nil {
		return nil, fmt.Errorf("open repository %s: %w", workTree, err)
	}
	p := &Place{Given: given}
	if p.Top, err = filepath.EvalSymlinks(given); err != nil {
		return nil, fmt.Errorf("open repository: %w", err)
	}
	dirs, err := gitdir.Of(p.Top)
	if err != nil {
		return nil, fmt.Errorf("open repository %s: %w", workTree, err)
	}
	p.GitDir, p.CommonDir, p.Linked = dirs.Git, dirs.Common, dirs.Linked
	return p, p.findShape(ctx)
}

// Removed returns the place of a linked work tree that was removed, given by its path. It contains
// nothing, and only the data that all work trees share can be read.
func Removed(ctx context.Context, commonDir, workTree string) (*Place, error) {
	p := &Place{Top: commonDir, Given: workTree, GitDir: commonDir, CommonDir: commonDir, Linked: filepath.Base(workTree)}
	return p, p.findShape(ctx)
}

// Git runs the git program in the work tree.
func (p *Place) Git(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	return git.Ask(ctx, p.Top, stdin, args...)
}

// Full returns a path of the work tree as the system names it.
func (p *Place) Full(path string) string { return filepath.Join(p.Top, filepath.FromSlash(path)) }

// RelativePaths returns the names that a reported path may have in the work tree: as reported, and
// with symlinked folders on the way resolved. An absolute path may name the work tree as the caller
// did or with symlinks resolved. A path outside it has no name.
func (p *Place) RelativePaths(name string) []string {
	if name == "" {
		return nil
	}
	abs := name
	if !filepath.IsAbs(name) {
		abs = filepath.Join(p.Top, name)
	}
	var names []string
	for _, c := range []string{abs, gitdir.Real(abs)} {
		for _, root := range []string{p.Top, p.Given} {
			if rel, err := filepath.Rel(root, c); err == nil && rel != "." && filepath.IsLocal(rel) {
				names = append(names, filepath.ToSlash(rel))
			}
		}
	}
	return names
}

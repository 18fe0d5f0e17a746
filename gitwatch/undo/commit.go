package undo

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"

	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/internal/git"
)

// commit makes the commit that takes the run's commits back, on which nothing
// stands yet; empty when HEAD holds nothing to take back. Only the run's
// paths differ from HEAD in it, whatever is staged.
func (u *Plan) commit(ctx context.Context) (string, error) {
	files := map[string]edits.File{}
	for _, p := range u.paths {
		if p.head.moves() {
			files[p.path] = p.head.to
		}
	}
	if len(files) == 0 {
		return "", nil
	}
	for _, f := range files {
		if err := u.keep(ctx, f); err != nil {
			return "", err
		}
	}
	if _, err := u.scratch.git(ctx, "head", nil, "read-tree", u.head); err != nil {
		return "", err
	}
	if err := u.scratch.index(ctx, "head", files); err != nil {
		return "", err
	}
	tree, err := u.real(ctx, nil, "write-tree")
	if err != nil {
		return "", err
	}
	args := []string{"commit-tree", tree, "-p", u.head}
	if sign, err := git.Ask(ctx, u.repo.Root(), nil, "config", "--type=bool", "commit.gpgSign"); err == nil && strings.TrimSpace(string(sign)) == "true" {
		args = append(args, "-S")
	}
	return u.real(ctx, strings.NewReader(u.request.Message), args...)
}

// keep makes contents that came of a merge an object of the repository.
func (u *Plan) keep(ctx context.Context, f edits.File) error {
	if !u.merged[f.Hash] {
		return nil
	}
	data, err := u.scratch.git(ctx, "none", nil, "cat-file", "blob", f.Hash)
	if err != nil {
		return err
	}
	_, err = u.real(ctx, strings.NewReader(string(data)), "hash-object", "-w", "--no-filters", "--stdin")
	return err
}

// real asks git with the scratch index of HEAD, but the repository's objects.
func (u *Plan) real(ctx context.Context, stdin io.Reader, args ...string) (string, error) {
	cmd, err := u.scratch.command(ctx, "head", args...)
	if err != nil {
		return "", err
	}
	cmd.Env = append(cmd.Env, identity(os.Environ())...)
	out, err := git.Run(ctx, cmd, args[0], stdin)
	return strings.TrimSpace(string(out)), err
}

// identity are the variables that say who commits.
func identity(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		return !strings.HasPrefix(v, "GIT_AUTHOR_") && !strings.HasPrefix(v, "GIT_COMMITTER_")
	})
}

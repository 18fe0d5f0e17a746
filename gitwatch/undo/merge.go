package undo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/internal/git"
)

// merge applies the change from base to back to now, if no other change touches the same lines. The
// result is among the scratch objects.
func (u *Plan) merge(ctx context.Context, p *pathPlan, now, base, back edits.File) (edits.File, error) {
	switch {
	case now.Same(back) || now.Same(base):
		return back, nil
	case base.Same(back):
		return now, nil
	}
	if !git.IsRegular(now.Mode) || !git.IsRegular(base.Mode) || !git.IsRegular(back.Mode) {
		return now, errOverlap
	}
	out := edits.File{Mode: now.Mode}
	if base.Mode != back.Mode {
		out.Mode = back.Mode
	}
	var err error
	switch {
	case base.Hash == back.Hash, now.Hash == back.Hash:
		out.Hash = now.Hash
	case now.Hash == base.Hash:
		out.Hash, out.Kept = back.Hash, back.Kept
	default:
		if out.Hash, err = u.mergeLines(ctx, p, now.Hash, base.Hash, back.Hash); err != nil {
			return now, err
		}
	}
	if out.Hash == p.now.Hash {
		err = u.store(ctx, p) // with another mode
	}
	return out, err
}

// errOverlap means that two changes touch the same lines, or that there are no lines.
const errOverlap = refusalError("later work overlaps with what the run committed")

// mergeLines lets git merge three blobs and returns the id of the result.
func (u *Plan) mergeLines(ctx context.Context, p *pathPlan, now, base, back string) (string, error) {
	if now == p.now.Hash {
		if err := u.store(ctx, p); err != nil {
			return "", err
		}
	}
	args := []string{"merge-file", "-p", "-q"}
	for i, id := range []string{now, base, back} {
		if why := u.lacking[id]; why != nil {
			return "", refusalError(why.Error())
		}
		data, err := u.scratch.git(ctx, "none", nil, "cat-file", "blob", id)
		name := u.scratch.file(fmt.Sprintf("merge%d", i))
		if err == nil {
			err = os.WriteFile(name, data, 0o600)
		}
		if err != nil {
			return "", err
		}
		args = append(args, name)
	}
	out, err := u.scratch.git(ctx, "none", nil, args...)
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return "", errOverlap
	}
	if err != nil {
		return "", err
	}
	id := u.repo.BlobID(out)
	u.merged[id] = true
	return id, u.scratch.put(id, out)
}

// store writes the work tree's file as a scratch object.
func (u *Plan) store(ctx context.Context, p *pathPlan) error {
	data, err := git.ReadFile(u.tree.full(p.path), p.now.Mode, git.MaxRead)
	if err != nil {
		return git.WithoutPath(err)
	}
	return u.scratch.store(ctx, p.path, p.now.Hash, p.now.Raw, data)
}

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

// merge applies the change from base to back to now, where no other change touches the
// same lines. The result is among the scratch objects.
func (u *Plan) merge(ctx context.Context, p *pathPlan, now, base, back edits.File) (edits.File, error) {
	switch {
	case now.Same(back) || now.Same(base):
		return back, nil
	case base.Same(back):
		return now, nil
	}
	overlap := refusalError("later work overlaps with what the run committed")
	if !git.IsRegular(now.Mode) || !git.IsRegular(base.Mode) || !git.IsRegular(back.Mode) {
		return now, overlap
	}
	out := edits.File{Mode: now.Mode}
	if base.Mode != back.Mode {
		out.Mode = back.Mode
	}
	var err error
	switch {
	case base.Hash == back.Hash:
		out.Hash = now.Hash
	case now.Hash == base.Hash:
		out.Hash, out.Kept = back.Hash, back.Kept
	case now.Hash == back.Hash:
		out.Hash = now.Hash
	default:
		out.Hash, err = u.mergeLines(ctx, p, now.Hash, base.Hash, back.Hash)
	}
	if errors.Is(err, errOverlap) {
		return now, overlap
	}
	if err == nil && out.Hash == p.now.Hash {
		err = u.store(ctx, p) // with another mode
	}
	return out, err
}

// errOverlap says that two changes touch the same lines, or that there are no
// lines.
var errOverlap = errors.New("the changes overlap")

// mergeLines lets git merge three blobs and returns the id of the result.
func (u *Plan) mergeLines(ctx context.Context, p *pathPlan, now, base, back string) (string, error) {
	if now == p.now.Hash {
		if err := u.store(ctx, p); err != nil {
			return "", err
		}
	}
	var files []string
	for i, id := range []string{now, base, back} {
		if why := u.lacking[id]; why != nil {
			return "", refusalError(why.Error())
		}
		data, err := u.scratch.git(ctx, "none", nil, "cat-file", "blob", id)
		if err != nil {
			return "", err
		}
		name := u.scratch.file(fmt.Sprintf("merge%d", i))
		if err := os.WriteFile(name, data, 0o600); err != nil {
			return "", err
		}
		files = append(files, name)
	}
	out, err := u.scratch.git(ctx, "none", nil, "merge-file", "-p", "-q", files[0], files[1], files[2])
	var exit *exec.ExitError
	if errors.As(err, &exit) {
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
	data, err := git.ReadFile(u.full(p.path), p.now.Mode, git.MaxRead)
	if err != nil {
		return git.WithoutPath(err)
	}
	return u.scratch.store(ctx, p.path, p.now.Hash, p.now.Raw, data)
}

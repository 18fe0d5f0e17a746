package undo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/internal/git"
)

// checkCommits refuses what git itself could not revert now.
func (u *Plan) checkCommits(ctx context.Context) error {
	if len(u.request.Commits) == 0 {
		return nil
	}
	for _, name := range []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"} {
		if _, err := os.Lstat(filepath.Join(u.repo.GitDir(), name)); err == nil {
			u.refuse("", "git is in the middle of a merge, rebase, cherry-pick or revert: finish or abort that first")
			return nil
		}
	}
	if err := u.checkRoots(ctx); err != nil {
		return err
	}
	if u.head == "" {
		u.refuse("", "its commits are not on what is checked out")
		return nil
	}
	args := append([]string{"rev-list", "--max-count=1"}, u.request.Commits...)
	beside, err := git.Ask(ctx, u.repo.Root(), nil, append(args, "--not", u.head)...)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		u.refuse("", "its commits cannot be found any more: "+err.Error())
		return nil
	}
	if len(beside) > 0 {
		u.refuse("", "not all of its commits are on what is checked out")
	}
	return nil
}

// checkRoots refuses a commit that begins a history of its own beside the one
// that was there: without it nothing of the work tree would be left.
func (u *Plan) checkRoots(ctx context.Context) error {
	if u.request.From.Base == "" {
		return nil
	}
	args := append([]string{"rev-list", "--no-walk", "--max-parents=0", "--ignore-missing"}, u.request.Commits...)
	roots, err := git.Ask(ctx, u.repo.Root(), nil, args...)
	if len(roots) == 0 {
		return err
	}
	id, _, _ := strings.Cut(string(roots), "\n")
	back := "git switch " + u.request.From.Branch
	if u.request.From.Branch == "" {
		back = "git switch --detach " + u.request.From.Base
	}
	u.refuse("", fmt.Sprintf("its commit %.7s begins a history of its own, as after 'git checkout --orphan', and holds files that were there before", id))
	u.Hint = "'" + back + "' goes back to the history where the run began"
	return nil
}

// look reads what the work tree, the index and HEAD hold of the paths now.
func (u *Plan) look(ctx context.Context) error {
	byPath := map[string]*pathPlan{}
	for _, p := range u.paths {
		byPath[p.path] = p
	}
	if u.head != "" {
		out, err := git.Ask(ctx, u.repo.Root(), nil, "ls-tree", "-r", "-z", "--full-tree", u.head)
		if err != nil {
			return err
		}
		// MODE SP TYPE SP ID TAB PATH
		for line := range strings.SplitSeq(string(out), "\x00") {
			head, path, _ := strings.Cut(line, "\t")
			if p, ok := byPath[path]; ok {
				f := strings.Fields(head)
				p.head.from = edits.File{Mode: git.CanonicalMode(octal(f[0])), Hash: f[2]}
			}
		}
	}
	out, err := git.Ask(ctx, u.repo.Root(), nil, "ls-files", "--stage", "-z")
	if err != nil {
		return err
	}
	// MODE SP ID SP STAGE TAB PATH
	for line := range strings.SplitSeq(string(out), "\x00") {
		head, path, _ := strings.Cut(line, "\t")
		if p, ok := byPath[path]; ok {
			f := strings.Fields(head)
			p.index.from = edits.File{Mode: git.CanonicalMode(octal(f[0])), Hash: f[1]}
			p.unmerged = p.unmerged || f[2] != "0"
		}
	}
	return u.lookAtDisk(ctx)
}

func octal(s string) uint32 {
	n, _ := strconv.ParseUint(s, 8, 32)
	return uint32(n)
}

// lookAtDisk reads the work tree.
func (u *Plan) lookAtDisk(ctx context.Context) error {
	expected := map[string][]edits.File{}
	for _, p := range u.paths {
		expected[p.path] = p.expected()
	}
	now, err := u.repo.FilesNow(ctx, expected)
	for _, p := range u.paths {
		p.now = now[p.path]
	}
	return err
}

// expected is what may stand at the path, last what the run left there.
func (p *pathPlan) expected() []edits.File {
	var out []edits.File
	for _, e := range p.committed {
		out = append(out, first(e, true), e.Before, e.After)
	}
	if p.edit != nil {
		out = append(out, p.edit.before, p.edit.after)
	}
	return out
}

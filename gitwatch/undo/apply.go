package undo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/internal/git"
)

// errRefused is what Apply returns for a plan that refuses.
var errRefused = errors.New("the plan refuses")

// Apply does what the plan says and returns the id of the commit it made, if
// it made one. First the work tree is changed, a file at a time, then the
// index, then HEAD, so that what is left of one that was killed is done by the
// next. A file whose bytes are nowhere else is put aside. On an error
// everything is put back. A file that changed since the
// plan was made is such an error.
func (u *Plan) Apply(ctx context.Context) (commit string, err error) {
	if len(u.Refused) > 0 {
		return "", errRefused
	}
	if commit, err = u.commit(ctx); err != nil {
		return "", fmt.Errorf("undo: %w", err)
	}
	var done steps
	if err = u.changeWorkTree(ctx, &done); err == nil {
		err = ctx.Err()
	}
	// A git that is killed at its work leaves its lock.
	whole := context.WithoutCancel(ctx)
	if err == nil {
		err = u.changeIndex(whole, &done)
	}
	if err == nil && commit != "" {
		err = u.moveHead(whole, commit)
	}
	if err != nil {
		err = errors.Join(err, done.takeBack())
		u.dropAside()
		return "", fmt.Errorf("undo: %w", err)
	}
	return commit, nil
}

// steps are the ways back of what was done.
type steps []func() error

func (s *steps) add(back func() error) { *s = append(*s, back) }

func (s *steps) takeBack() error {
	var errs []error
	for i := len(*s) - 1; i >= 0; i-- {
		errs = append(errs, (*s)[i]())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("and putting everything back: %w", err)
	}
	return nil
}

// changeIndex sets the index entries in one step, for which git holds its
// lock.
func (u *Plan) changeIndex(ctx context.Context, done *steps) error {
	from, to := map[string]edits.File{}, map[string]edits.File{}
	for _, p := range u.paths {
		if p.index.moves() {
			from[p.path], to[p.path] = p.index.from, p.index.to
		}
	}
	if len(to) == 0 {
		return nil
	}
	set := func(ctx context.Context, files map[string]edits.File) error {
		return u.whenFree(func() error {
			return u.change(ctx, indexLines(files, zeroID(u.repo)), "update-index", "-z", "--index-info")
		})
	}
	if err := set(ctx, to); err != nil {
		return err
	}
	done.add(func() error { return set(ctx, from) })
	return nil
}

// lockWait is how long the index's lock is waited for: another git, as one of
// an editor, holds it only for a moment.
const lockWait = 500 * time.Millisecond

// whenFree tries again while the index is locked.
func (u *Plan) whenFree(change func() error) error {
	for end := time.Now().Add(lockWait); ; time.Sleep(10 * time.Millisecond) {
		err := change()
		if _, held := os.Lstat(filepath.Join(u.repo.GitDir(), "index.lock")); err == nil || held != nil || time.Now().After(end) {
			return err
		}
	}
}

// moveHead lets HEAD, or the branch it is on, name the commit, if it still
// stands where the plan began.
func (u *Plan) moveHead(ctx context.Context, commit string) error {
	subject, _, _ := strings.Cut(u.request.Message, "\n")
	return u.change(ctx, "", "update-ref", "-m", "revert: "+subject, "HEAD", commit, u.head)
}

// change lets git change the repository itself, without its hooks.
func (u *Plan) change(ctx context.Context, stdin string, args ...string) error {
	_, err := git.Ask(ctx, u.repo.Root(), strings.NewReader(stdin), append(u.scratch.noHooks(), args...)...)
	return err
}

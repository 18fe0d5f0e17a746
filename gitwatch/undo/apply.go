package undo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/internal/git"
)

var errRefused = errors.New("the plan refuses")

// Apply carries out the plan and returns the id of the commit that it made, if any. It changes the
// work tree, one file at a time, then the index, then HEAD, so that the next Apply completes one
// that was killed. If a file on disk is the only copy of its bytes, Apply keeps it in Aside. On an
// error, such as a file that changed since the plan was made, it puts everything back.
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
	// Git would leave its lock if it were killed.
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

// changeIndex sets the index entries in one step, for which git holds its lock.
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
	if err := u.setIndex(ctx, to); err != nil {
		return err
	}
	done.add(func() error { return u.setIndex(ctx, from) })
	return nil
}

// lockWait limits the wait for the index's lock. Another git, such as that of an editor, holds
// it only for a moment.
const lockWait = 500 * time.Millisecond

func (u *Plan) setIndex(ctx context.Context, files map[string]edits.File) error {
	for end := time.Now().Add(lockWait); ; time.Sleep(10 * time.Millisecond) {
		err := u.change(ctx, indexLines(files, zeroID(u.repo)), "update-index", "-z", "--index-info")
		if _, held := os.Lstat(filepath.Join(u.repo.GitDir(), "index.lock")); err == nil || held != nil || time.Now().After(end) {
			return err
		}
	}
}

// moveHead sets HEAD, or the branch it is on, to the commit, if it is still where the plan began.
func (u *Plan) moveHead(ctx context.Context, commit string) error {
	subject, _, _ := strings.Cut(u.request.Message, "\n")
	return u.change(ctx, "", "update-ref", "-m", "revert: "+subject, "HEAD", commit, u.head)
}

// change lets git change the repository itself, without its hooks.
func (u *Plan) change(ctx context.Context, stdin string, args ...string) error {
	_, err := git.Ask(ctx, u.repo.Root(), strings.NewReader(stdin), append(u.scratch.noHooks(), args...)...)
	return err
}

// commit makes the commit that takes the run's commits back, without moving HEAD to it. It returns
// "" if there is nothing to take back. Only the run's paths differ from HEAD in it, even if others
// are staged.
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
		if err := u.storeMerged(ctx, f); err != nil {
			return "", err
		}
	}
	var tree string
	_, err := u.scratch.git(ctx, "head", nil, "read-tree", u.head)
	if err == nil {
		err = u.scratch.index(ctx, "head", files)
	}
	if err == nil {
		tree, err = u.gitInRepository(ctx, nil, "write-tree")
	}
	if err != nil {
		return "", err
	}
	args := []string{"commit-tree", tree, "-p", u.head}
	if sign, err := git.Ask(ctx, u.repo.Root(), nil, "config", "--type=bool", "commit.gpgSign"); err == nil && strings.TrimSpace(string(sign)) == "true" {
		args = append(args, "-S")
	}
	return u.gitInRepository(ctx, strings.NewReader(u.request.Message), args...)
}

// storeMerged writes the result of a merge into the repository.
func (u *Plan) storeMerged(ctx context.Context, f edits.File) error {
	if !u.merged[f.Hash] {
		return nil
	}
	data, err := u.scratch.git(ctx, "none", nil, "cat-file", "blob", f.Hash)
	if err == nil {
		_, err = u.gitInRepository(ctx, bytes.NewReader(data), "hash-object", "-w", "--no-filters", "--stdin")
	}
	return err
}

// gitInRepository runs git with the scratch index of HEAD and the objects of the repository.
func (u *Plan) gitInRepository(ctx context.Context, stdin io.Reader, args ...string) (string, error) {
	cmd, err := u.scratch.command(ctx, "head", args...)
	if err != nil {
		return "", err
	}
	for _, v := range os.Environ() {
		if strings.HasPrefix(v, "GIT_AUTHOR_") || strings.HasPrefix(v, "GIT_COMMITTER_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	out, err := git.Run(ctx, cmd, args[0], stdin)
	return strings.TrimSpace(string(out)), err
}

// asideName begins the names of the folders, in a run's folder, that hold files as an undo found
// them.
const asideName = "undone"

// findOnlyCopies finds the files that the plan removes or overwrites and whose bytes are neither in
// git nor among the run's copies. Undo keeps them, so that nothing is lost for good.
func (u *Plan) findOnlyCopies(ctx context.Context) error {
	kept := map[string]bool{}
	for _, p := range u.paths {
		for _, f := range p.expected() {
			kept[f.Kept] = true
		}
	}
	byID := map[string][]*pathPlan{}
	for _, p := range u.paths {
		switch {
		case !p.changesWorkTree() || !p.now.Exists():
		case p.now.Raw == "":
			p.onlyCopy = true // too large to have been hashed
		case !kept[p.now.Raw]:
			byID[p.now.Raw] = append(byID[p.now.Raw], p)
		}
	}
	missing, err := missingBlobs(slices.Collect(maps.Keys(byID)), func(ids io.Reader, args ...string) ([]byte, error) {
		return git.Ask(ctx, u.repo.Root(), ids, args...)
	})
	for _, id := range missing {
		for _, p := range byID[id] {
			p.onlyCopy = true
		}
	}
	return err
}

// backupName returns the name that a file is copied to before it is replaced: among the temporary
// files or, for the only copy of its bytes, in the folder Aside.
func (u *Plan) backupName(p *pathPlan, name string) (string, error) {
	if !p.onlyCopy {
		return u.scratch.file(name), nil
	}
	if u.Aside == "" {
		dir, err := makeAside(u.request.Dir)
		if err != nil {
			return "", err
		}
		u.Aside = dir
	}
	full := filepath.Join(u.Aside, filepath.FromSlash(p.path))
	return full, os.MkdirAll(filepath.Dir(full), 0o700)
}

// makeAside makes a new folder in the run's folder, which may be gone.
func makeAside(runDir string) (dir string, err error) {
	dir = filepath.Join(runDir, asideName)
	err = errors.Join(os.MkdirAll(runDir, 0o700), os.Mkdir(dir, 0o700))
	for n := 2; errors.Is(err, fs.ErrExist); n++ {
		dir = filepath.Join(runDir, fmt.Sprint(asideName, "-", n))
		err = os.Mkdir(dir, 0o700)
	}
	return dir, err
}

// dropAside removes the folder if nothing was kept in it.
func (u *Plan) dropAside() {
	if u.Aside == "" {
		return
	}
	removeEmpty(u.Aside)
	if _, err := os.Lstat(u.Aside); err != nil {
		u.Aside = ""
	}
}

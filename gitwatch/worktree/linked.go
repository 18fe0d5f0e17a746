// Package worktree makes, lists, merges and removes the linked work trees in which runs happen, and
// reports the changes that a work tree holds since its first commit.
//
// Guarantees: it works only through the git program, so that hooks, filters and locks are those of
// git. Add leaves nothing behind when it fails or its context ends. Linked.Remove loses no work:
// git refuses while there are changed or untracked files, and a branch with new commits stays.
// Merge changes nothing if files are in conflict or in the way, as far as the git program can find
// out beforehand. No other work tree is touched. A work tree that cannot be read is an error, never
// an empty one.
//
// Not guaranteed: ignored files are removed with the work tree. If git is killed while it makes a
// work tree, that is still listed, as Unmade.
package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"agentflow/gitwatch/internal/git"
)

// Linked is a linked work tree that Add made, or Open found.
type Linked struct {
	Path   string // absolute, symlinks resolved
	Branch string // short name
	Base   string // the commit it began at, full id
	// New says that the branch was made with it.
	New  bool
	from string // the work tree it was made from, or a bare repository, in which git runs
}

// ErrUnborn means that there is no commit yet that a work tree could begin at.
var ErrUnborn = errors.New("there is no commit yet")

// BranchInUseError reports that a branch is already checked out.
type BranchInUseError struct{ Branch, Path string }

func (e *BranchInUseError) Error() string {
	return fmt.Sprintf("branch %s is checked out in %s", e.Branch, e.Path)
}

// Add makes a linked work tree at path, where nothing may exist yet, with branch checked out. If
// the branch does not exist, Add makes it from the HEAD of from, a work tree or a bare repository.
// The user's hooks and filters run as they do with git. If Add fails or ctx ends, nothing is left.
// The error is ErrUnborn, a *BranchInUseError or git's own.
func Add(ctx context.Context, from, path, branch string) (*Linked, error) {
	t := &Linked{Path: path, Branch: branch, from: from}
	if err := t.add(ctx); err != nil {
		return nil, fmt.Errorf("make a work tree on branch %s: %w", branch, err)
	}
	return t, nil
}

// Open finds the linked work tree at path. It assumes that the work tree began at the first commit
// in the reflog of its HEAD, and that its branch existed before.
func Open(ctx context.Context, from, path string) (*Linked, error) {
	t := &Linked{Path: path, from: from}
	now, err := t.listed(ctx)
	if err != nil {
		return nil, fmt.Errorf("open work tree %s: %w", path, err)
	}
	t.Branch, t.Base = now.Branch, now.Head
	past, err := askGit(ctx, path, "rev-list", "--walk-reflogs", "HEAD")
	if err != nil {
		return nil, fmt.Errorf("open work tree %s: %w", path, err)
	}
	if ids := strings.Fields(past); len(ids) > 0 {
		t.Base = ids[len(ids)-1]
	}
	return t, nil
}

func (t *Linked) add(ctx context.Context) error {
	if _, err := os.Lstat(t.Path); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, fmt.Errorf("%s is there already", t.Path))
	}
	if err := t.start(ctx); err != nil {
		return err
	}
	if t.New {
		// With an empty old value the reference is created, or the command fails. A reference that
		// is removed later is therefore ours.
		if _, err := gitChange(ctx, t.from, "update-ref", "-m", "branch: Created from HEAD", git.BranchPrefix+t.Branch, t.Base, ""); err != nil {
			return err
		}
	}
	_, err := gitChange(ctx, t.from, "worktree", "add", "--quiet", "--", t.Path, t.Branch)
	if err == nil {
		t.Path, err = filepath.EvalSymlinks(t.Path)
	}
	if err != nil {
		t.undo(ctx)
	}
	return err
}

// start finds the commit to begin at, and whether the branch exists.
func (t *Linked) start(ctx context.Context) error {
	name, err := askGit(ctx, t.from, "check-ref-format", "--branch", t.Branch)
	switch {
	case err == nil && name != t.Branch, git.Exited(err, 128), git.Exited(err, 129):
		return fmt.Errorf("%q is no name for a branch", t.Branch)
	case err != nil:
		return err
	}
	base, err := askGit(ctx, t.from, "rev-parse", "--verify", "--quiet", git.BranchPrefix+t.Branch+"^{commit}")
	if err == nil {
		t.Base = base
		return t.checkFree(ctx)
	}
	if !git.Exited(err, 1) {
		return err
	}
	t.New = true
	t.Base, err = askGit(ctx, t.from, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if git.Exited(err, 1) {
		return ErrUnborn
	}
	return err
}

// checkFree returns an error if a work tree has the branch checked out.
func (t *Linked) checkFree(ctx context.Context) error {
	trees, err := List(ctx, t.from)
	for _, other := range trees {
		if other.Branch == t.Branch && !other.Bare {
			return &BranchInUseError{t.Branch, other.Path}
		}
	}
	return err
}

const undoLimit = 30 * time.Second

// undo removes a work tree that could not be made, even after ctx ended. A killed git leaves its
// lock on it, which only force overrides.
func (t *Linked) undo(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoLimit)
	defer cancel()
	_, _ = gitChange(ctx, t.from, "worktree", "remove", "--force", "--force", t.Path)
	_ = os.RemoveAll(t.Path) // it did not exist before
	if t.New {
		_ = DropBranch(ctx, t.from, t.Branch, t.Base)
	}
}

// DropBranch removes a branch of the repository that dir is in, with its settings, unless it has
// moved from the commit seen.
func DropBranch(ctx context.Context, dir, branch, seen string) error {
	if _, err := gitChange(ctx, dir, "update-ref", "-d", git.BranchPrefix+branch, seen); err != nil {
		return fmt.Errorf("remove branch %s: %w", branch, err)
	}
	_, _ = gitChange(ctx, dir, "config", "--remove-section", "branch."+branch) // most have none
	return nil
}

// Remove removes the work tree, and the branch that was made with it if that is still where it
// began. Remove fails, as git does, while the work tree holds changed or untracked files. Ignored
// files are removed.
func (t *Linked) Remove(ctx context.Context) error {
	if err := (Listed{Path: t.Path}).Remove(ctx, t.from, false); err != nil {
		return err
	}
	if !t.New {
		return nil
	}
	tip, err := askGit(ctx, t.from, "rev-parse", "--verify", "--quiet", git.BranchPrefix+t.Branch)
	if err != nil || strings.TrimSpace(tip) != t.Base {
		return nil // it has new commits, or is gone
	}
	return DropBranch(ctx, t.from, t.Branch, t.Base)
}

// Remove removes the work tree, even one without a folder. Unless force is set it refuses while the
// work tree or one of its submodules holds changed or untracked files, or a submodule holds commits
// that no remote has. Git refuses a work tree that a person locked.
func (l Listed) Remove(ctx context.Context, from string, force bool) error {
	args := []string{"worktree", "remove"}
	if force || l.submodulesMayGo(ctx) {
		args = append(args, "--force")
	}
	if force && l.Unmade { // git's own lock
		args = append(args, "--force")
	}
	if _, err := gitChange(ctx, from, append(args, "--", l.Path)...); err != nil {
		return fmt.Errorf("remove work tree %s: %w", l.Path, err)
	}
	return nil
}

// submodulesMayGo reports whether a work tree has submodules and its removal would lose nothing.
// Git removes no work tree with submodules unless it is forced, even if nothing was checked out in
// them.
func (l Listed) submodulesMayGo(ctx context.Context) bool {
	paths, err := submodulePaths(ctx, l.Path)
	if err != nil || len(paths) == 0 {
		return false
	}
	uncommitted, err := Uncommitted(ctx, l.Path)
	if err != nil || uncommitted > 0 {
		return false
	}
	commits, err := SubmoduleCommits(ctx, l.Path)
	return err == nil && commits == 0
}

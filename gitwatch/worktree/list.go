package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"agentflow/gitwatch/internal/git"
	"agentflow/internal/gitdir"
)

// Listed is a work tree as git lists it.
type Listed struct {
	Path   string // absolute
	Head   string // full id; zeros if unborn, empty in a bare repository
	Branch string // short name; empty if detached
	Bare   bool   // not a work tree, but the repository itself
	Gone   bool   // its folder does not exist any more
	// Unmade says that git was killed while it made this work tree.
	Unmade bool
}

// List lists the work trees of the repository that dir is in, the main one first.
func List(ctx context.Context, dir string) ([]Listed, error) {
	out, err := askGit(ctx, dir, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return nil, fmt.Errorf("list work trees: %w", err)
	}
	return parseWorktrees(out), nil
}

// parseWorktrees reads the format of git-worktree(1): attributes that end in NUL, and one more NUL
// after each work tree.
func parseWorktrees(out string) []Listed {
	var trees []Listed
	for _, attribute := range strings.Split(out, "\x00") {
		name, value, _ := strings.Cut(attribute, " ")
		if name == "worktree" {
			trees = append(trees, Listed{Path: filepath.FromSlash(value)})
			continue
		}
		if len(trees) == 0 {
			continue
		}
		t := &trees[len(trees)-1]
		switch name {
		case "HEAD":
			t.Head = value
		case "branch":
			t.Branch = git.ShortBranch(value)
		case "bare":
			t.Bare = true
		case "prunable":
			t.Gone = true
		case "locked":
			t.Unmade = value == "initializing"
		}
	}
	return trees
}

// Names returns git's names for the linked work trees, by their paths.
func Names(commonDir string) map[string]string {
	names := map[string]string{}
	items, _ := os.ReadDir(filepath.Join(commonDir, "worktrees")) // none if the folder does not exist
	for _, item := range items {
		if path, err := gitdir.Named(commonDir, item.Name()); err == nil {
			names[filepath.Clean(path)] = item.Name()
		}
	}
	return names
}

// Tips returns the full ids of the commits that branches are at, by their short names. in lists the
// branches: folders of names, which end with "/", or single names.
func Tips(ctx context.Context, dir string, in ...string) (map[string]string, error) {
	args := []string{"for-each-ref", "--format=%(refname:lstrip=2) %(objectname)"}
	for _, name := range in {
		args = append(args, git.BranchPrefix+name)
	}
	out, err := askGit(ctx, dir, args...)
	if err != nil {
		return nil, fmt.Errorf("list branches: %w", err)
	}
	tips := map[string]string{}
	for line := range strings.Lines(out) {
		name, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		tips[name] = id
	}
	return tips, nil
}

// Taken reports whether a branch, here or on a remote, has the name, or one that some file systems
// treat as the same.
func Taken(ctx context.Context, dir, name string) (bool, error) {
	out, err := askGit(ctx, dir, "for-each-ref", "--ignore-case", "--format=%(refname)", git.BranchPrefix+name, "refs/remotes/*/"+name)
	if err != nil {
		return false, fmt.Errorf("look for the branch %s: %w", name, err)
	}
	for ref := range strings.FieldsSeq(out) {
		local, isLocal := strings.CutPrefix(ref, git.BranchPrefix)
		if strings.EqualFold(local, name) || !isLocal {
			return true, nil
		}
	}
	return false, nil
}

// Holding returns the full names of the branches, including remote ones, that contain a commit.
func Holding(ctx context.Context, dir, commit string) ([]string, error) {
	out, err := askGit(ctx, dir, "for-each-ref", "--format=%(refname)", "--contains="+commit, git.BranchPrefix, "refs/remotes")
	if err != nil {
		return nil, fmt.Errorf("look for the branches that have %s: %w", commit, err)
	}
	return strings.Fields(out), nil
}

// Ahead counts the commits that are reachable from a commit and not from the HEAD of the work tree
// or bare repository dir.
func Ahead(ctx context.Context, dir, commit string) (int, error) {
	out, err := askGit(ctx, dir, "rev-list", "--count", "HEAD.."+commit, "--")
	if err != nil {
		return 0, fmt.Errorf("count the commits before %s: %w", commit, err)
	}
	return strconv.Atoi(out)
}

// Branches lists the short names of all branches.
func Branches(ctx context.Context, dir string) ([]string, error) {
	out, err := askGit(ctx, dir, "for-each-ref", "--format=%(refname:lstrip=2)", git.BranchPrefix)
	if err != nil {
		return nil, fmt.Errorf("list branches: %w", err)
	}
	return strings.Fields(out), nil
}

// Left reports the changes of a work tree since its first commit.
type Left struct {
	Uncommitted int  // changed and untracked paths; an untracked folder counts as one
	Ignored     int  // paths that git ignores, counted in the same way
	Moved       bool // its branch or its HEAD is not, or was not always, where it began
	Loose       bool // HEAD is detached, and no branch or tag contains its commit

	On string // the branch that is checked out now; empty if detached
}

// Left reads the work tree. A work tree that cannot be read is an error, never an empty one.
func (t *Linked) Left(ctx context.Context) (l Left, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("look at work tree %s: %w", t.Path, err)
		}
	}()
	if l.Uncommitted, l.Ignored, err = pathsLeft(ctx, t.Path, "--ignored=traditional"); err != nil {
		return l, err
	}
	now, err := t.listed(ctx)
	if err != nil {
		return l, err
	}
	past, err := askGit(ctx, t.Path, "rev-list", "--walk-reflogs", "HEAD")
	if err != nil {
		return l, err
	}
	l.On, l.Moved = now.Branch, now.Head != t.Base || now.Branch != t.Branch
	for _, id := range strings.Fields(past) {
		l.Moved = l.Moved || id != t.Base
	}
	if now.Branch == "" {
		on, err := askGit(ctx, t.from, "for-each-ref", "--count=1", "--contains="+now.Head, "refs/heads", "refs/tags", "refs/remotes")
		l.Loose = on == ""
		return l, err
	}
	return l, nil
}

func (t *Linked) listed(ctx context.Context) (Listed, error) {
	trees, err := List(ctx, t.from)
	for _, other := range trees {
		if SamePath(other.Path, t.Path) {
			return other, nil
		}
	}
	if err == nil {
		err = fmt.Errorf("git does not list it")
	}
	return Listed{}, err
}

// SamePath reports whether two absolute paths name the same file, with symlinks followed as far as
// possible.
func SamePath(a, b string) bool {
	if real, err := filepath.EvalSymlinks(a); err == nil {
		a = real
	}
	if real, err := filepath.EvalSymlinks(b); err == nil {
		b = real
	}
	return a == b
}

// Uncommitted counts the changed and untracked paths of a work tree as git status does. An
// untracked folder counts as one.
func Uncommitted(ctx context.Context, workTree string) (int, error) {
	n, _, err := pathsLeft(ctx, workTree)
	if err != nil {
		return 0, fmt.Errorf("look for uncommitted changes in %s: %w", workTree, err)
	}
	return n, nil
}

// Held counts the same paths, and in the same way those that git ignores.
func Held(ctx context.Context, workTree string) (uncommitted, ignored int, err error) {
	if uncommitted, ignored, err = pathsLeft(ctx, workTree, "--ignored=traditional"); err != nil {
		return 0, 0, fmt.Errorf("look at work tree %s: %w", workTree, err)
	}
	return uncommitted, ignored, nil
}

func pathsLeft(ctx context.Context, workTree string, more ...string) (changed, ignored int, err error) {
	args := append([]string{"status", "--porcelain", "-z", "--untracked-files=normal", "--ignore-submodules=none"}, more...)
	out, err := askGit(ctx, workTree, args...)
	if err != nil {
		return 0, 0, err
	}
	changed, ignored = countStatus(out)
	return changed, ignored, nil
}

// countStatus counts the entries of git-status(1)'s porcelain format: "XY path". After a renamed or
// copied path, the original path is a separate entry.
func countStatus(out string) (changed, ignored int) {
	origin := false
	for _, entry := range strings.Split(out, "\x00") {
		switch {
		case origin:
			origin = false
		case len(entry) < 3:
		case strings.HasPrefix(entry, "!!"):
			ignored++
		default:
			changed++
			origin = strings.ContainsAny(entry[:2], "RC")
		}
	}
	return changed, ignored
}

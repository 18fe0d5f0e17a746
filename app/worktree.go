package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"agentflow/config"
	"agentflow/executor"
	"agentflow/gitwatch/worktree"
	"agentflow/memory"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

// treeOptions are the flags of run about work trees.
type treeOptions struct {
	worktree string // empty: the user's own; newBranch; or the branch
	keep, rm bool
}

func (o *treeOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.worktree, "worktree", "", "run in a work tree of its own, on this `branch`")
	f.Lookup("worktree").NoOptDefVal = newBranch
	f.BoolVar(&o.keep, "keep", false, "keep that work tree also when nothing was changed in it")
	f.BoolVar(&o.rm, "rm", false, "remove it also when the run committed; commits stay on the branch, edits keep it")
	_ = cmd.RegisterFlagCompletionFunc("worktree", func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		names, _ := worktree.Branches(cmd.Context(), ".")
		return names, cobra.ShellCompDirectiveNoFileComp
	})
}

func (o *treeOptions) check(resume string) error {
	switch {
	case o.worktree == "" && (o.keep || o.rm):
		return usagef("--keep and --rm are about the work tree of --worktree or --parallel")
	case o.keep && o.rm:
		return usagef("--keep and --rm exclude each other")
	case o.worktree != "" && resume != "":
		return &Error{Kind: KindUsage, Err: errors.New("--resume goes on where its run worked, and --worktree makes a new place"),
			Hint: "leave --worktree out: --resume goes on in the work tree that its run worked in, one of its own too"}
	}
	return nil
}

// ownTree is the work tree of one run, made for it.
type ownTree struct {
	*worktree.Linked
	id   string // the run's
	dir  string // where the agent works in it
	onto string // the user's branch: what came of the run is compared with it, and merged into it
}

// ownTree makes a work tree and a branch for a run on task. An error has left
// nothing behind.
func (s *site) ownTree(ctx context.Context, o treeOptions, task string) (*ownTree, error) {
	if s.CommonDir == "" {
		return nil, &Error{Kind: KindNoPlace, Err: errors.New("making a work tree: there is no git repository here"), Hint: "'git init' starts one"}
	}
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("making a work tree: making its run's id: %w", err)
	}
	folder, err := s.treeFolder()
	if err != nil {
		return nil, fmt.Errorf("making a folder for work trees: %w", err)
	}
	branch, name := treeNames(o.worktree, s.redact.Text(memory.Head(task, maxNamed)), id.String())
	tree, err := worktree.Add(ctx, s.gitFolder(), filepath.Join(folder, name), branch)
	if err != nil {
		tidy(folder)
		return nil, s.treeError(ctx, err)
	}
	return &ownTree{Linked: tree, id: id.String(), dir: s.dirIn(tree.Path), onto: s.onto(ctx)}, nil
}

// maxNamed is how much of a task is looked at for a name, in runes.
const maxNamed = 600

// gitFolder is where git is asked about the repository.
func (s *site) gitFolder() string {
	if s.Worktree == "" {
		return s.CommonDir
	}
	return s.Worktree
}

// treeFolder makes the folder for work trees, and keeps it out of the status
// of a repository that it stands in, as a submodule's does.
func (s *site) treeFolder() (string, error) {
	var errs []error
	for _, folder := range s.treeFolders() {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			errs = append(errs, err)
			continue
		}
		around, err := config.Find(filepath.Dir(folder), s.dirs.Home)
		if ignore := filepath.Join(folder, ".gitignore"); err == nil && around.CommonDir != "" {
			_ = os.WriteFile(ignore, []byte("*\n"), 0o666)
		}
		return folder, nil
	}
	return "", errors.Join(errs...)
}

// tidy removes a folder for work trees that holds none any more.
func tidy(folder string) {
	items, err := os.ReadDir(folder)
	if err != nil || len(items) > 1 || len(items) == 1 && items[0].Name() != ".gitignore" {
		return
	}
	_ = os.Remove(filepath.Join(folder, ".gitignore"))
	_ = os.Remove(folder)
}

// dirIn is the folder in a new work tree that the command was given in, if
// the commit has it.
func (s *site) dirIn(tree string) string {
	here, err := filepath.EvalSymlinks(s.dir)
	if err != nil {
		return tree
	}
	rel, err := filepath.Rel(s.Worktree, here)
	if err != nil || !filepath.IsLocal(rel) || !isDir(filepath.Join(tree, rel)) {
		return tree
	}
	return filepath.Join(tree, rel)
}

// onto is the branch that is checked out where the command was given.
func (s *site) onto(ctx context.Context) string {
	if repo, err := s.repo(ctx); err == nil {
		if branch, _, err := repo.Head(ctx); err == nil && branch != "" {
			return branch
		}
	}
	return "HEAD"
}

func (s *site) treeError(ctx context.Context, err error) error {
	var used *worktree.BranchInUseError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, worktree.ErrUnborn):
		return &Error{Kind: KindRefused, Err: err, Hint: "a work tree begins at a commit: git commit --allow-empty -m start"}
	case errors.As(err, &used):
		return &Error{Kind: KindRefused, Err: err, Hint: fmt.Sprintf("work there: cd %s; or name another branch", shellWord(used.Path))}
	}
	return err
}

// enter makes a run happen in the work tree.
func (t *ownTree) enter(ctx context.Context, deps *executor.Deps, req *executor.Request) {
	req.ID = t.id
	deps.WorkTree, deps.Dir, deps.Work, deps.OwnTree = t.Path, t.dir, workspaceAt(ctx, t.Path), true
	deps.Env = worktree.EnvIn(deps.Env, t.dir)
}

// tellUncommitted says what of the user's work no new work tree holds.
func (s *site) tellUncommitted(ctx context.Context) {
	if s.Worktree == "" || s.quiet {
		return
	}
	n, err := worktree.Uncommitted(ctx, s.Worktree)
	switch {
	case err != nil:
		s.warn("%v", err)
	case n > 0:
		s.say("a new work tree holds what is committed: your %s not in it", areUncommitted(n))
	}
}

func areUncommitted(n int) string {
	if n == 1 {
		return "1 uncommitted path is"
	}
	return fmt.Sprintf("%d uncommitted paths are", n)
}

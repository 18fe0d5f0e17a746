// Package worktree makes the work trees of runs (MakeWorktree), lists them (Worktrees), merges them (MergeWorktree)
// and removes them (RemoveWorktrees).
//
// It combines the work trees that git lists with the runs that memory knows. Git makes the changes, with the user's
// settings, hooks and environment. When a run has ended, a work tree without changes is removed, and one with work
// that exists nowhere else stays.
//
// Guarantees: merging refuses, and changes nothing, while a run is active, if the work tree has uncommitted changes,
// and if files are in conflict or in the way. Removing without Force refuses if work would be lost, and then removes
// none of the named work trees. A work tree that cannot be read stays. A branch that the user named stays.
//
// Not guaranteed: if a hook refuses the commit of a merge, the merge stays as git leaves it, and the error says so.
package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"agentflow/app"
	"agentflow/app/settle"
	"agentflow/executor"
	"agentflow/gitwatch"
	"agentflow/gitwatch/worktree"
	"agentflow/internal/config"
	"agentflow/internal/safefile"
	"agentflow/internal/shellword"
	"agentflow/internal/slug"
	"agentflow/memory"

	"github.com/google/uuid"
)

// WorktreeRequest asks for a separate linked work tree for a run.
type WorktreeRequest struct {
	Own    bool   // the run gets one
	Branch string // on this branch, which is created if it does not exist; empty: a new one, named after the task
	Keep   bool   // it stays even if nothing was changed in it
	Remove bool   // remove it even if the run committed; the commits stay on the branch
}

// Check returns an error if parts of the request contradict each other. resume is the run to continue; empty: none.
func (w WorktreeRequest) Check(resume string) error {
	switch {
	case !w.Own && (w.Keep || w.Remove):
		return app.Usagef("--keep and --rm are about the work tree of --worktree or --parallel")
	case w.Keep && w.Remove:
		return app.Usagef("--keep and --rm exclude each other")
	case w.Own && resume != "":
		return &app.Error{Kind: app.KindUsage, Err: errors.New("--resume continues where its run worked, and --worktree makes a new place"),
			Hint: "leave --worktree out: --resume continues in the work tree that its run worked in, linked ones too"}
	}
	return nil
}

// Branches returns the branches of the Memory's repository, or none without
// a repository.
func Branches(ctx context.Context, m *app.Memory) []string {
	names, _ := worktree.Branches(ctx, m.Dir)
	return names
}

// RunWorktree is the linked work tree of one run.
type RunWorktree struct {
	*worktree.Linked
	id   string // the run's
	dir  string // where the agent works in it
	Onto string // the user's branch, to which the run's work is compared and merged
	Made bool   // for a run; otherwise it is the user's
}

// MakeWorktree makes a work tree and a branch for a run on task. After an error
// nothing is left behind.
func MakeWorktree(ctx context.Context, s *app.Repo, w WorktreeRequest, task string) (*RunWorktree, error) {
	if s.CommonDir == "" {
		return nil, &app.Error{Kind: app.KindNoPlace, Err: errors.New("making a work tree: there is no git repository here"), Hint: "'git init' starts one"}
	}
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("making a work tree: making its run's id: %w", err)
	}
	folder, err := treeFolder(s)
	if err != nil {
		return nil, fmt.Errorf("making a folder for work trees: %w", err)
	}
	branch, name := treeNames(w.Branch, settle.BranchPrefix(ctx, s), s.Redact.Text(memory.Head(task, maxNamed)), id.String())
	tree, err := worktree.Add(ctx, app.GitFolder(s), filepath.Join(folder, name), branch)
	if err != nil {
		tidy(folder)
		return nil, worktreeError(ctx, err)
	}
	return &RunWorktree{Linked: tree, id: id.String(), dir: dirIn(s, tree.Path), Onto: Onto(ctx, s), Made: true}, nil
}

// maxNamed limits how much of a task is used for a name, in runes.
const maxNamed = 600

// treeFolder makes the folder for work trees. If the folder is inside a repository, as for a
// submodule, it is kept out of that repository's status.
func treeFolder(s *app.Repo) (string, error) {
	var errs []error
	for _, folder := range treeFolders(s) {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			errs = append(errs, err)
			continue
		}
		around, err := config.Find(filepath.Dir(folder), s.Dirs.Home)
		if ignore := filepath.Join(folder, ".gitignore"); err == nil && around.CommonDir != "" {
			_ = os.WriteFile(ignore, []byte("*\n"), 0o666)
		}
		return folder, nil
	}
	return "", errors.Join(errs...)
}

// tidy removes a folder for work trees if it is empty.
func tidy(folder string) {
	items, err := os.ReadDir(folder)
	if err != nil || len(items) > 1 || len(items) == 1 && items[0].Name() != ".gitignore" {
		return
	}
	_ = os.Remove(filepath.Join(folder, ".gitignore"))
	_ = os.Remove(folder)
}

// dirIn returns the folder in a new work tree that matches the command's folder, if
// the commit has it.
func dirIn(s *app.Repo, tree string) string {
	here, err := filepath.EvalSymlinks(s.Dir)
	if err != nil {
		return tree
	}
	rel, err := filepath.Rel(s.Worktree, here)
	if err != nil || !filepath.IsLocal(rel) || !safefile.IsDir(filepath.Join(tree, rel)) {
		return tree
	}
	return filepath.Join(tree, rel)
}

// Onto returns the branch that is checked out in the command's folder.
func Onto(ctx context.Context, s *app.Repo) string {
	if repo, err := s.Repo(ctx); err == nil {
		if branch, _, err := repo.Head(ctx); err == nil && branch != "" {
			return branch
		}
	}
	return "HEAD"
}

func worktreeError(ctx context.Context, err error) error {
	var used *worktree.BranchInUseError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, worktree.ErrUnborn):
		return &app.Error{Kind: app.KindRefused, Err: err, Hint: "a work tree begins at a commit: git commit --allow-empty -m start"}
	case errors.As(err, &used):
		return &app.Error{Kind: app.KindRefused, Err: err, Hint: fmt.Sprintf("work there: cd %s; or name another branch", shellword.Quote(used.Path))}
	case strings.Contains(err.Error(), "exists; cannot create"):
		return &app.Error{Kind: app.KindRefused, Err: err, Hint: "git keeps no branch below the name of another: name one with --worktree=BRANCH, or rename the branch that exists with 'git branch -m'"}
	}
	return err
}

// Enter makes a run happen in the work tree.
func (t *RunWorktree) Enter(ctx context.Context, deps *executor.Deps, req *executor.Request) {
	req.ID = t.id
	deps.WorkTree, deps.Dir, deps.Work, deps.OwnTree = t.Path, t.dir, WorkspaceOf(gitwatch.Open(ctx, t.Path)), true
	deps.Env = worktree.EnvIn(deps.Env, t.dir)
}

// TellUncommitted reports how much of the user's work is missing from new work trees.
func TellUncommitted(ctx context.Context, s *app.Repo) {
	if s.Worktree == "" {
		return
	}
	n, err := worktree.Uncommitted(ctx, s.Worktree)
	switch {
	case err != nil:
		s.Warn("%v", err)
	case n == 1:
		s.Say("a new work tree holds only committed files: your 1 uncommitted path is not in it")
	case n > 0:
		s.Say("a new work tree holds only committed files: your %d uncommitted paths are not in it", n)
	}
}

// treeNames returns the branch and the folder for the work tree of a run. The end of the id
// makes the folder's name unique, and also the branch's unless the user
// named the branch. task is redacted, because branches get pushed.
func treeNames(asked, prefix, task, id string) (branch, folder string) {
	end := "-" + memory.ShortID(id)
	if asked != "" {
		return asked, slug.Of(asked) + end
	}
	folder = slug.Of(memory.Title(task)) + end
	return prefix + folder, folder
}

// treeFolders returns the folders for the work trees of runs. The caller uses the first one
// that can be made. One is next to the repository, so that tools that walk the repository do
// not meet it. The other is in the user's state folder.
func treeFolders(s *app.Repo) []string {
	root := filepath.Dir(s.Root)
	name := strings.TrimSuffix(filepath.Base(root), ".git")
	if name == "" { // a bare repository in .git
		name = filepath.Base(filepath.Dir(root))
	}
	var folders []string
	if filepath.Dir(root) == root {
		name = "root"
	} else {
		folders = append(folders, filepath.Join(filepath.Dir(root), name+".agentflow"))
	}
	if s.Dirs.State != "" {
		hash := filepath.Base(s.Dirs.Fallback(s.Place))
		folders = append(folders, filepath.Join(s.Dirs.State, "worktrees", name+"-"+hash))
	}
	return folders
}

// isTree reports whether a path is a work tree made for a run.
func isTree(s *app.Repo, path string) bool {
	for _, folder := range treeFolders(s) {
		if worktree.SamePath(filepath.Dir(path), folder) {
			return true
		}
	}
	return false
}

// WasTree is isTree for a work tree that git lists, also if the repository
// had another name or place when the tree was made.
func WasTree(s *app.Repo, path string) bool {
	folder := filepath.Dir(path)
	return isTree(s, path) || strings.HasSuffix(folder, ".agentflow") ||
		s.Dirs.State != "" && worktree.SamePath(filepath.Dir(folder), filepath.Join(s.Dirs.State, "worktrees"))
}

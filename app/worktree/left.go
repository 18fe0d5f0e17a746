package worktree

import (
	"context"
	"fmt"
	"path/filepath"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/settle"
	"agentflow/executor"
	"agentflow/gitwatch/worktree"
	"agentflow/internal/plural"
	"agentflow/internal/safefile"
	"agentflow/internal/shellword"
	"agentflow/memory"
)

// Stays decides whether a work tree is kept, and why. A tree with work that exists nowhere
// else is kept regardless of the request.
func Stays(w WorktreeRequest, l worktree.Left) (keep bool, why string) {
	switch {
	case l.Uncommitted > 0:
		return true, "it holds " + plural.Count(l.Uncommitted, "uncommitted path")
	case l.Loose:
		return true, "its commits are on no branch"
	case w.Keep:
		return true, ""
	case w.Remove:
		return false, ""
	case !l.Moved && l.Ignored > 0:
		return true, fmt.Sprintf("it holds %s that git ignores", plural.Count(l.Ignored, "path"))
	}
	return l.Moved, ""
}

// Leave ends the life of a run's work tree, or says how to continue with it. A tree
// that cannot be read stays.
func (t *RunWorktree) Leave(ctx context.Context, w WorktreeRequest, rec executor.Record) *app.WorktreeLeft {
	ctx = context.WithoutCancel(ctx)
	left, err := t.Left(ctx)
	branch, fresh := t.Branch, t.New
	if left.On != "" && left.On != branch {
		branch, fresh = left.On, false
	}
	keep, why := true, ""
	if err == nil {
		keep, why = Stays(w, left)
	}
	if !keep {
		err = t.Remove(ctx)
	}
	if err != nil {
		keep, why = true, err.Error()
	}
	out := &app.WorktreeLeft{Path: t.Path, Branch: branch}
	if !keep {
		tidy(filepath.Dir(t.Path))
		if out.Path = ""; !left.Moved {
			out.Branch = ""
		}
	}
	out.Text, out.Steps = out.Describe(why, fresh), t.steps(out, left, rec)
	return out
}

// steps returns the next commands. It uses agentflow's commands if the tree was made for a run.
func (t *RunWorktree) steps(l *app.WorktreeLeft, left worktree.Left, rec executor.Record) []string {
	var out []string
	tree, branch := shellword.Quote(l.Path), shellword.Quote(l.Branch)
	ref := shellword.Quote(refOf(l.Path, l.Branch))
	ours := t.Made && (l.Path != "" || settle.IsOfRun(l.Branch))
	changed := l.Branch != "" && (left.Moved || left.Uncommitted > 0)
	switch {
	case changed && rec.MemoryPath != "":
		out = append(out, "agentflow diff "+memory.ShortID(rec.Entry.ID))
	case changed && l.Path != "":
		out = append(out, "git -C "+tree+" diff "+shellword.Quote(t.Onto))
	case changed:
		out = append(out, "git diff "+shellword.Quote(t.Onto)+"..."+branch)
	}
	if l.Path != "" && left.Loose {
		out = append(out, "git -C "+tree+" switch -c NAME")
	}
	switch {
	case changed && !ours:
		out = append(out, "git merge "+branch)
	case changed && left.Uncommitted > 0:
		out = append(out, "agentflow worktree merge "+ref+" --commit")
	case changed:
		out = append(out, "agentflow worktree merge "+ref)
	}
	switch {
	case ours && changed: // until then it refuses
		out = append(out, "after merging: agentflow worktree rm "+ref)
	case ours:
		out = append(out, "agentflow worktree rm "+ref)
	}
	return out
}

// TreesLeft lists the work trees of runs that are over.
func TreesLeft(ctx context.Context, s *app.Repo, live []executor.LiveRun) ([]api.Worktree, error) {
	out := []api.Worktree{}
	if s.CommonDir == "" || !safefile.IsDir(filepath.Join(s.CommonDir, "worktrees")) {
		return out, nil // spares asking git
	}
	trees, err := worktree.List(ctx, app.GitFolder(s))
	for _, t := range trees {
		if isTree(s, t.Path) && !worksIn(live, t.Path) {
			out = append(out, api.Worktree{Path: t.Path, Branch: t.Branch, Remove: removal(t)})
		}
	}
	return out, err
}

func worksIn(live []executor.LiveRun, tree string) bool {
	for _, r := range live {
		if worktree.SamePath(r.WorkTree, tree) {
			return true
		}
	}
	return false
}

// removal returns the command that removes a work tree, and the branch that was
// made with it. The command refuses while they hold work that exists nowhere else.
func removal(t worktree.Listed) string {
	command := "agentflow worktree rm " + shellword.Quote(refOf(t.Path, t.Branch))
	if t.Unmade { // its run never began
		command += " --force"
	}
	return command
}

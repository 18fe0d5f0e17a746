package app

import (
	"context"
	"fmt"
	"path/filepath"

	"agentflow/internal/plural"

	"agentflow/gitwatch/worktree"
)

// fate is what became of a run's work tree and its branch.
type fate struct {
	path   string // empty: it is gone, or there was none
	branch string // that holds the run's commits; empty: there is none
	onto   string
	own    bool // the branch was made for the run
	left   worktree.Left
	why    string // why it stays, where that is not plain
}

// stays decides whether a work tree is kept, and why. Work that is nowhere
// else keeps it whatever was asked.
func stays(o treeOptions, l worktree.Left) (keep bool, why string) {
	switch {
	case l.Uncommitted > 0:
		return true, "it holds " + plural.Count(l.Uncommitted, "uncommitted path")
	case l.Loose:
		return true, "its commits stand on no branch"
	case o.keep:
		return true, ""
	case o.rm:
		return false, ""
	case !l.Moved && l.Ignored > 0:
		return true, fmt.Sprintf("it holds %s that git ignores", plural.Count(l.Ignored, "path"))
	}
	return l.Moved, ""
}

// leave ends the life of a run's work tree, or tells how to go on with it. One
// that cannot be looked at stays.
func (t *ownTree) leave(ctx context.Context, o treeOptions) fate {
	ctx = context.WithoutCancel(ctx)
	f := fate{path: t.Path, branch: t.Branch, onto: t.onto, own: t.New}
	var err error
	f.left, err = t.Left(ctx)
	if err != nil {
		f.why = err.Error()
		return f
	}
	if f.left.On != "" {
		f.own = f.own && f.branch == f.left.On
		f.branch = f.left.On
	}
	keep, why := stays(o, f.left)
	if f.why = why; keep {
		return f
	}
	if err := t.Remove(ctx); err != nil {
		f.why = err.Error()
		return f
	}
	tidy(filepath.Dir(t.Path))
	f.path = ""
	if !f.left.Moved {
		f.branch = ""
	}
	return f
}

// steps are the commands that look at what a run left, take it over and tidy
// up, in this order.
func (f fate) steps() []string {
	var out []string
	tree, branch := shellWord(f.path), shellWord(f.branch)
	if f.path != "" && f.left.Uncommitted > 0 {
		out = append(out, "git -C "+tree+" diff HEAD", "git -C "+tree+" add -A && git -C "+tree+" commit")
	}
	if f.path != "" && f.left.Loose {
		out = append(out, "git -C "+tree+" branch NAME")
	}
	if f.branch != "" && (f.left.Moved || f.left.Uncommitted > 0) {
		out = append(out, "git diff "+shellWord(f.onto)+"..."+branch, "git merge "+branch)
	}
	if end := f.end(); end != "" {
		out = append(out, end)
	}
	return out
}

// end is the command that takes away what is left; it refuses to take work
// away with it.
func (f fate) end() string {
	tree, branch := "git worktree remove "+shellWord(f.path), "git branch -d "+shellWord(f.branch)
	switch {
	case f.path != "" && f.own:
		return tree + " && " + branch
	case f.path != "":
		return tree
	case f.branch != "" && f.own:
		return branch
	}
	return ""
}

// lines say what became of the work tree, and how to go on.
func (f fate) lines() []string {
	var first string
	switch {
	case f.path == "" && f.branch == "" && f.own:
		first = "nothing was changed: the work tree and its branch are gone"
	case f.path == "" && f.branch == "":
		first = "nothing was changed: the work tree is gone"
	case f.path == "":
		first = fmt.Sprintf("the work tree is gone; what it committed stands on branch %s", f.branch)
	case f.why != "":
		first = fmt.Sprintf("work tree %s on branch %s stays: %s", f.path, f.branch, f.why)
	default:
		first = fmt.Sprintf("work tree %s on branch %s", f.path, f.branch)
	}
	lines := []string{first}
	for _, step := range f.steps() {
		lines = append(lines, "  "+step)
	}
	return lines
}

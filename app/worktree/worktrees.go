package worktree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/lookup"
	"agentflow/app/settle"
	"agentflow/executor"
	"agentflow/gitwatch/worktree"
	"agentflow/internal/config"
	"agentflow/internal/plural"
	"agentflow/internal/safefile"
	"agentflow/internal/shellword"
	"agentflow/memory"
)

// The states of a run's work tree, as in api.RunWorktree.
const (
	treeRunning    = "running"
	treeDirty      = "dirty"
	treeClean      = "clean"
	treeGone       = "gone"
	treeBranch     = "branch"
	treeUnfinished = "unfinished"
	treeUnusable   = "unusable"
)

// WorktreesRequest asks for the work trees of runs.
type WorktreesRequest struct{}

// WorktreesResult lists work trees, the ones used last first.
type WorktreesResult struct {
	Worktrees []api.RunWorktree
	Stand     []string // the state of each, in words: "1 uncommitted path, 2 commits ahead of main"
	Degraded  []string
}

// Worktrees lists the remaining work trees of runs, and the branches of removed
// ones.
func Worktrees(ctx context.Context, m *app.Memory, _ WorktreesRequest) (res WorktreesResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&res.Degraded, &err)
	res.Worktrees = []api.RunWorktree{}
	s, trees, err := openTrees(ctx, o, o.OpenToRead)
	if err != nil {
		return res, err
	}
	onto := Onto(ctx, s)
	for _, t := range trees {
		if err := inspect(ctx, s, t); err != nil {
			return res, err
		}
		res.Worktrees = append(res.Worktrees, t.RunWorktree)
		res.Stand = append(res.Stand, t.describeState(onto))
	}
	return res, nil
}

// WorktreeNames returns the work trees of runs, for a list to choose from. It is
// quick and silent: it reads no tree.
func WorktreeNames(ctx context.Context, m *app.Memory) []RunName {
	o := m.Begin(app.Listen(ctx, nil))
	_, trees, _ := openTrees(ctx, o, o.OpenExisting)
	var names []RunName
	for _, t := range trees {
		names = append(names, RunName{t.Ref, cmp.Or(memory.Title(t.Task), t.Branch)})
	}
	return names
}

// runTree is the work tree that a run got, or its remaining
// branch.
type runTree struct {
	api.RunWorktree
	listed worktree.Listed // as git lists it; zero when only the branch is left
	name   string          // git's name for the work tree
	made   bool            // it is in a folder for the work trees of runs
	tip    string          // full id of its checked-out commit
	runs   []string        // ids of all runs that worked in it
	agent  string          // of Run
	// resumable reports that the agent's session of Run can be resumed.
	resumable bool
	// committed reports that a run in this tree made commits.
	committed bool
}

// openTrees opens the memory for work on the work trees of runs, and lists them.
// It needs a git repository, but no memory.
func openTrees(ctx context.Context, o *app.Operation, open app.Opening) (*app.Repo, []*runTree, error) {
	s, err := open(ctx)
	if err != nil && (app.AsError(err).Kind == app.KindNoPlace || app.IsSwitchedOff(err)) {
		o.EvenOff = true
		place, dirs, failed := o.Place()
		if failed != nil {
			return nil, nil, failed
		}
		s, err = app.OpenPlace(ctx, o, place, dirs)
	}
	if err == nil && s.CommonDir == "" {
		err = &app.Error{Kind: app.KindNoPlace, Err: errors.New("looking for work trees: there is no git repository here"), Hint: "'git init' starts one"}
	}
	if err != nil {
		return nil, nil, err
	}
	trees, err := runTrees(ctx, s)
	return s, trees, err
}

// runTrees lists the work trees of runs and what memory knows about them, without reading
// the trees.
func runTrees(ctx context.Context, s *app.Repo) ([]*runTree, error) {
	listed, err := worktree.List(ctx, app.GitFolder(s))
	if err != nil {
		return nil, err
	}
	tips, err := branchTips(ctx, s)
	if err != nil {
		return nil, err
	}
	live, err := executor.Live(s.Runs())
	if err != nil {
		return nil, err
	}
	names, out := worktree.Names(s.CommonDir), []*runTree{}
	add := func(t *runTree) {
		if t.Path = t.listed.Path; t.made {
			t.Ref = refOf(t.Path, t.Branch)
		} else {
			t.Ref = refOf("", t.Branch)
		}
		out = append(out, t)
	}
	for i, l := range listed {
		delete(tips, l.Branch)
		made := i > 0 && WasTree(s, l.Path)
		if made || settle.IsOfRun(l.Branch) {
			add(&runTree{RunWorktree: api.RunWorktree{Branch: l.Branch}, listed: l, made: made, tip: l.Head, name: names[filepath.Clean(l.Path)]})
		}
	}
	for branch, tip := range tips {
		if settle.IsOfRun(branch) {
			add(&runTree{RunWorktree: api.RunWorktree{Branch: branch}, tip: tip})
		}
	}
	for b := range lookup.ReadableBlocks(s) {
		if b.Entry != nil && b.Entry.Kind.ByAgent() && b.Entry.Worktree != "" {
			for _, t := range out {
				t.add(b.Entry)
			}
		}
	}
	for _, t := range out {
		if i := slices.IndexFunc(live, func(r executor.LiveRun) bool { return t.Path != "" && worktree.SamePath(r.WorkTree, t.Path) }); i >= 0 {
			t.State, t.Run, t.Task, t.StartedAt = treeRunning, live[i].ID, live[i].Task, &live[i].Started
			t.runs = append(t.runs, live[i].ID)
		}
	}
	slices.SortFunc(out, func(a, b *runTree) int {
		return cmp.Or(b.started().Compare(a.started()), strings.Compare(b.Run, a.Run), strings.Compare(a.Branch, b.Branch), strings.Compare(a.Path, b.Path))
	})
	return out, nil
}

// branchTips returns the tips of branches, of those of runs at least.
func branchTips(ctx context.Context, s *app.Repo) (map[string]string, error) {
	if s.Worktree == "" {
		return worktree.Tips(ctx, app.GitFolder(s), settle.BranchPrefixes...)
	}
	repo, err := s.Repo(ctx)
	if err != nil {
		return nil, err
	}
	return repo.Branches(ctx)
}

// add adds the data of an entry, if its run worked there.
func (t *runTree) add(e *memory.Entry) {
	if t.made && e.Worktree != t.name || !t.made && e.Branch != t.Branch {
		return
	}
	t.runs = append(t.runs, e.ID)
	t.committed = t.committed || len(e.Commits) > 0
	if t.StartedAt == nil || e.Time.After(*t.StartedAt) {
		at := e.Time
		t.Run, t.Task, t.StartedAt, t.agent, t.resumable = e.ID, e.Task, &at, e.Agent, e.Session != ""
	}
}

func (t *runTree) started() time.Time {
	if t.StartedAt == nil {
		return time.Time{}
	}
	return *t.StartedAt
}

var idAtEnd = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`-([0-9a-f]{6})$`) })

// refOf returns a short name for a run's work tree: the end of the run's id, which is
// also in the names of the folder and the branch.
func refOf(path, branch string) string {
	name := filepath.Base(path)
	if path == "" && settle.IsOfRun(branch) {
		name = branch
	}
	if m := idAtEnd().FindStringSubmatch(name); m != nil {
		return m[1]
	}
	return cmp.Or(branch, path)
}

// inspect reads the state of a work tree and its branch.
func inspect(ctx context.Context, s *app.Repo, t *runTree) (err error) {
	if t.State != treeRunning {
		t.State = treeClean
	}
	_, absent := os.Lstat(t.Path)
	switch {
	case t.Path == "":
		t.State = treeBranch
	case t.listed.Unmade:
		t.State = treeUnfinished
	case absent != nil || t.listed.Gone:
		t.State = treeGone
		beside := filepath.Join(filepath.Dir(filepath.Dir(s.Root)), filepath.Base(filepath.Dir(t.Path)))
		for _, folder := range append(treeFolders(s), beside) {
			if moved := filepath.Join(folder, filepath.Base(t.Path)); t.made && absent != nil && safefile.IsDir(moved) {
				t.State, t.Note = treeUnusable, repairNote("its folder was moved", moved)
			}
		}
	case !IsWorktree(s, t.Path):
		t.State, t.Note = treeUnusable, repairNote("its folder does not lead to this repository", t.Path)
		if other, err := config.Find(t.Path, s.Dirs.Home); err == nil && worktree.SamePath(other.Worktree, t.Path) {
			t.Note = "its folder belongs to the repository " + filepath.Dir(other.Root) // this repository is a copy of that one
		}
	default:
		if t.Uncommitted, t.Ignored, err = worktree.Held(ctx, t.Path); err != nil {
			t.State, t.Note, err = treeUnusable, err.Error(), ctx.Err()
		} else if t.Uncommitted > 0 && t.State == treeClean {
			t.State = treeDirty
		}
	}
	if err != nil || strings.Trim(t.tip, "0") == "" { // no commit yet
		return err
	}
	if t.Ahead, err = worktree.Ahead(ctx, app.GitFolder(s), t.tip); err != nil {
		return err
	}
	onto := Onto(ctx, s)
	if t.Ahead == 0 && onto != "HEAD" && onto != t.Branch {
		t.MergedInto = onto
		return nil // spares git a look at all branches
	}
	holding, err := worktree.Holding(ctx, app.GitFolder(s), t.tip)
	t.MergedInto = t.IsMergedInto(holding)
	return err
}

func repairNote(why, path string) string {
	return fmt.Sprintf("%s; if the repository was moved: git worktree repair %s", why, shellword.Quote(path))
}

// IsMergedInto picks the branch that counts as the user's from those that contain all commits
// of t: a local branch before a remote one. Branches of other runs and remote copies of
// t's branch do not count.
func (t *runTree) IsMergedInto(holding []string) string {
	local, remote := "", ""
	for _, name := range holding {
		branch, isLocal := strings.CutPrefix(name, "refs/heads/")
		if !isLocal {
			_, branch, _ = strings.Cut(strings.TrimPrefix(name, "refs/remotes/"), "/")
		}
		switch {
		case branch == t.Branch:
		case settle.IsOfRun(branch):
		case isLocal:
			local = cmp.Or(local, branch)
		default:
			remote = cmp.Or(remote, strings.TrimPrefix(name, "refs/remotes/"))
		}
	}
	return cmp.Or(local, remote)
}

// describeState describes the state of a work tree in words.
func (t *runTree) describeState(onto string) string {
	states := map[string]string{treeRunning: "run in progress", treeGone: "folder is gone", treeBranch: "only the branch is left",
		treeUnfinished: "git was ended while it made it", treeUnusable: cmp.Or(t.Note, treeUnusable)}
	var parts []string
	if state := states[t.State]; state != "" {
		parts = append(parts, state)
	}
	if t.Uncommitted > 0 {
		parts = append(parts, plural.Count(t.Uncommitted, "uncommitted path"))
	}
	switch {
	case t.MergedInto != "" && !t.committed:
		parts = append(parts, "no commits that "+t.MergedInto+" lacks")
	case t.MergedInto != "":
		parts = append(parts, "all its commits are in "+t.MergedInto)
	case t.Ahead > 0:
		parts = append(parts, fmt.Sprintf("%s ahead of %s", plural.Count(t.Ahead, "commit"), onto))
	}
	if t.State == treeClean && len(parts) == 0 {
		parts = append(parts, treeClean)
	}
	return strings.Join(parts, ", ")
}

// treeNamedBy finds the work tree of a run that a reference names: the end of
// the id of a run that worked in it, its branch, its path, or "last".
func treeNamedBy(s *app.Repo, trees []*runTree, ref string) (*runTree, error) {
	path := ref
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.Dir, path)
	}
	id := strings.ToLower(ref)
	named := []func(*runTree) bool{
		func(t *runTree) bool {
			return t.Branch != "" && (t.Branch == ref || slices.Contains(settle.BranchPrefixes, strings.TrimSuffix(t.Branch, ref)))
		},
		func(t *runTree) bool { return t.Path != "" && worktree.SamePath(t.Path, path) },
		func(t *runTree) bool { return t.Ref == id },
		func(t *runTree) bool {
			return len(id) >= lookup.MinID && slices.ContainsFunc(t.runs, func(run string) bool { return strings.HasSuffix(run, id) })
		},
		func(t *runTree) bool { return id == "last" && t == newestOf(trees) },
	}
	for _, is := range named {
		var found []*runTree
		for _, t := range trees {
			if is(t) {
				found = append(found, t)
			}
		}
		switch len(found) {
		case 0:
		case 1:
			return found[0], nil
		default:
			err := app.Usagef("%q names %d work trees", ref, len(found))
			err.Hint = "name its branch; 'agentflow worktree list' shows it"
			return nil, err
		}
	}
	if id == "last" {
		return nil, &app.Error{Kind: app.KindNotFound, Err: errors.New("the last run has no work tree"), Hint: "'agentflow worktree list' lists them"}
	}
	return nil, &app.Error{Kind: app.KindNotFound, Err: fmt.Errorf("looking for %s: no run has a work tree or a branch of that name", ref),
		Hint: "'agentflow worktree list' lists them"}
}

// newestOf returns the work tree that a run used last.
func newestOf(trees []*runTree) *runTree {
	if len(trees) > 0 && trees[0].StartedAt != nil {
		return trees[0]
	}
	return nil
}

// Package undo takes back what a run or a session changed in the work tree. PlanUndo plans it, Plan.Include adds
// changes that are only possibly the run's, and Plan.Apply makes the change and marks the entry as undone.
// Package gitwatch/undo does the work on files and git.
//
// Guarantees: a plan changes nothing, and Apply refuses, and changes nothing, if a file has changed since. Until the
// plan is closed, no other undo of the repository can begin, except a dry run. Uncommitted changes go back byte for
// byte, and one new commit reverts the run's commits. The temporary files of a killed undo are removed by the next
// command.
//
// Not guaranteed: changes that the run did not keep stay, and are named.
package undo

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/indexes"
	"agentflow/app/lookup"
	"agentflow/app/propose"
	"agentflow/app/purge"
	"agentflow/app/run"
	"agentflow/executor"
	"agentflow/gitwatch"
	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/undo"
	"agentflow/gitwatch/worktree"
	"agentflow/internal/filelock"
	"agentflow/internal/safefile"
	"agentflow/internal/shellword"
	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/markdown"
	"agentflow/writeback"
)

// Request asks to take back the changes of one run.
type Request struct {
	Run      string // an id, the end of one, or "last"
	Possible bool   // also take back changes that are only possibly the run's
	DryRun   bool   // the plan is never applied: it keeps no other undo out
}

// Plan is the plan for undoing a run. It is for one goroutine. Until Close,
// no other undo of the repository can begin, unless it is for a dry run.
type Plan struct {
	api.Undo
	Title string
	Kind  memory.Kind // run or session
	// Why gives the reason why a path in Possible, or a commit in PossibleCommits by its
	// full id, stays.
	Why map[string]string
	// Helps reports that a plan with all of Possible would not be refused.
	Helps bool
	// OnlyPossible reports that no change is surely the run's.
	OnlyPossible bool
	// NothingLeft reports that nothing is left to take back, except Stays.
	NothingLeft bool
	// Nothing reports that the run changed no file that could be taken back.
	Nothing  bool
	Degraded []string

	mem          *app.Repo
	entry        *memory.Entry
	repo         *gitwatch.Repo
	edits        run.RunEdits
	takePossible bool
	temp         string // folder for temporary files
	unlock       func()

	steps   *undo.Plan
	commits []changeset.Commit // that steps takes back, the newest first
	none    bool               // steps takes nothing of the run back
	inHead  []api.LaterCommit
	hint    string // how to take the commits in inHead back
}

// Result is the result of an undo.
type Result struct {
	api.Undo
	Again    string // the hint how to take more back, or how to make the changes again; empty when nothing was done
	Degraded []string
}

// PlanUndo plans to take a run back: uncommitted changes go back byte for
// byte, and one new commit reverts its commits. The caller closes the plan.
func PlanUndo(ctx context.Context, m *app.Memory, req Request) (plan *Plan, err error) {
	o := m.Begin(ctx)
	u := &Plan{takePossible: req.Possible}
	defer o.End(&u.Degraded, &err)
	if u.mem, err = o.OpenRecovered(ctx); err != nil {
		return nil, err
	}
	if u.entry, err = lookup.LookUpEntry(ctx, u.mem, req.Run); err != nil {
		return nil, err
	}
	u.ID, u.Title, u.Kind = u.entry.ID, purge.TitleOf(u.entry), u.entry.Kind
	if err := u.begin(ctx, req.DryRun); err != nil {
		return nil, errors.Join(u.failed(err), u.Close())
	}
	return u, nil
}

// failed adds the run to an error.
func (u *Plan) failed(err error) error {
	return fmt.Errorf("undoing %s %s: %w", u.entry.Kind, memory.ShortID(u.entry.ID), err)
}

func (u *Plan) begin(ctx context.Context, dryRun bool) (err error) {
	if u.repo, err = u.mem.Repo(ctx); err != nil {
		return err
	}
	if err := u.check(ctx); err != nil {
		return err
	}
	if u.edits, err = run.EditsOf(ctx, u.mem, u.repo, u.entry); err != nil {
		return err
	}
	if u.edits.Lost && u.needsLost() {
		return &app.Error{Kind: app.KindRefused, Err: errors.New(run.UncommittedGone(u.entry)), Hint: "'git revert' takes its commits back"}
	}
	if !dryRun {
		if err := u.lock(ctx); err != nil {
			return err
		}
	}
	if !u.entry.IsUndone() {
		u.inHead = inHead(ctx, u.mem, u.entry)
	}
	return u.choose(ctx, nil)
}

// check returns refusals that need no read of the files.
func (u *Plan) check(ctx context.Context) error {
	e, s := u.entry, u.mem
	if !e.Kind.ByAgent() {
		return &app.Error{Kind: app.KindRefused, Err: errors.New("it is a commit that no run made"), Hint: "'git revert' takes a commit back"}
	}
	for _, why := range []string{e.Changes.Unread, e.Uncommitted.Unread} {
		if why != "" {
			return fmt.Errorf("not all that it changed could be read: %s", why)
		}
	}
	if e.Worktree != s.Linked && len(e.Uncommitted.Items) > 0 {
		return u.elsewhere(ctx)
	}
	live, err := executor.Live(s.Runs())
	if err != nil {
		return err
	}
	for _, r := range live {
		if r.WorkTree == s.Worktree {
			return &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("run %s is at work here, and would count the undo as its work", memory.ShortID(r.ID)),
				Hint: "wait for its end"}
		}
	}
	return nil
}

// elsewhere names the work tree of the run's changes, where undo has to run.
func (u *Plan) elsewhere(ctx context.Context) error {
	e := u.entry
	where := "the main work tree"
	if e.Worktree != "" {
		where = "work tree " + e.Worktree
	}
	tree, err := run.TreeNamed(u.mem, e.Worktree)
	there := err == nil && safefile.IsDir(tree)
	later := FindLaterCommits(ctx, u.mem, e)
	if there && !u.allMerged(ctx, later) {
		return &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("it left changes in %s", where),
			Hint: fmt.Sprintf("'cd %s && agentflow undo %s' takes it back", shellword.Quote(tree), memory.ShortID(e.ID))}
	}
	if len(later) > 0 {
		var ids []string
		for _, c := range later {
			ids = append(ids, c.ID[:min(len(c.ID), 12)])
		}
		commits := strings.Join(ids, " ")
		if !there {
			where += ", which is gone"
		}
		return &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("it left changes in %s; they were committed as %s", where, commits), Hint: fmt.Sprintf("'git revert %s' takes them back", commits)}
	}
	gone := &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("it left changes in %s, which is gone, and they with it", where)}
	if len(e.Commits) > 0 {
		gone.Hint = "'git revert' takes its commits back"
	}
	return gone
}

// allMerged reports whether the commits hold all of the run's uncommitted changes,
// and the branch checked out here has the commits: an undo in the run's work tree
// would then take nothing out of this branch.
func (u *Plan) allMerged(ctx context.Context, later []api.LaterCommit) bool {
	paths := 0
	for _, c := range later {
		paths += len(c.Paths)
		if ahead, err := worktree.Ahead(ctx, u.mem.Worktree, c.ID); err != nil || ahead > 0 {
			return false
		}
	}
	return paths > 0 && paths >= len(u.entry.Uncommitted.Items)
}

// needsLost reports whether the plan needs uncommitted changes of the run that
// were not kept: they are surely the run's, or requested, or all there is.
func (u *Plan) needsLost() bool {
	sure := slices.ContainsFunc(u.entry.Uncommitted.Items, func(c changeset.Change) bool { return c.Certainty.Sure() })
	return sure || u.takePossible || len(u.edits.Committed) == 0
}

// lock keeps other undos out, and makes the folder for temporary files. It removes the
// files of an undo that was killed.
func (u *Plan) lock(ctx context.Context) error {
	state := u.mem.State()
	lock, err := filelock.Acquire(ctx, filepath.Join(state, "undo.lock"), filelock.Self("undo", time.Now()), u.mem.LockWait)
	var held *filelock.HeldError
	if errors.As(err, &held) {
		return &app.Error{Kind: app.KindLocked, Err: err, Hint: "try again when it has finished"}
	}
	if err != nil {
		return err
	}
	u.temp = undoFolder(state)
	u.unlock = func() { _ = errors.Join(os.RemoveAll(u.temp), lock.Release()) }
	return errors.Join(os.RemoveAll(u.temp), os.Mkdir(u.temp, 0o700))
}

// undoFolder holds the temporary files of the undo that holds the lock.
func undoFolder(state string) string { return filepath.Join(state, "undo") }

// RemoveUndoFiles removes the temporary files of an undo that was killed, unless another
// undo is running.
func RemoveUndoFiles(ctx context.Context, s *app.Repo) {
	if !safefile.IsDir(undoFolder(s.State())) {
		return
	}
	lock, err := filelock.Acquire(ctx, filepath.Join(s.State(), "undo.lock"), filelock.Self("undo", time.Now()), 0)
	if err == nil {
		_ = errors.Join(os.RemoveAll(undoFolder(s.State())), lock.Release()) // the next command tries again
	}
}

// Close ends the use of the plan, applied or not.
func (u *Plan) Close() error {
	var err error
	if u.steps != nil {
		err = u.steps.Close()
	}
	if u.unlock != nil {
		u.unlock()
	}
	return err
}

// Include makes the plan again, with the possible changes of these paths.
func (u *Plan) Include(ctx context.Context, paths []string) error {
	also := map[string]bool{}
	for _, path := range paths {
		also[path] = true
	}
	if err := u.choose(ctx, also); err != nil {
		return app.AsError(u.failed(err))
	}
	return nil
}

// Refusal returns why the plan cannot be applied; nil if it can be.
func (u *Plan) Refusal() error {
	id := memory.ShortID(u.entry.ID)
	possible := fmt.Sprintf("'agentflow undo %s --possible' takes that back too", id)
	refuse := func(why, hint string) error {
		return app.AsError(u.failed(&app.Error{Kind: app.KindRefused, Err: errors.New(why), Hint: hint}))
	}
	switch {
	case len(u.Refused) > 0 && u.Helps:
		return refuse("it cannot be taken back without what may be somebody else's; nothing was changed", possible)
	case len(u.Refused) > 0:
		return refuse("it cannot be taken back; nothing was changed", cmp.Or(u.steps.Hint, u.hint, "'agentflow diff "+id+"' prints what it changed"))
	case u.OnlyPossible:
		return refuse(u.whyOnlyPossible()+"; nothing was taken back", possible)
	}
	return nil
}

// whyOnlyPossible says why no change is surely the run's.
func (u *Plan) whyOnlyPossible() string {
	const nothing = "no change is certainly from this run"
	if ReportsNoCalls(u.entry) {
		return "agent command reports no tool calls, so " + nothing
	}
	return nothing
}

// ReportsNoCalls reports whether the agent of a run reports no tool calls.
func ReportsNoCalls(e *memory.Entry) bool { return e.Kind == memory.KindRun && e.Agent == "command" }

// Apply takes the run back, as planned, and marks its entry as undone. If a file
// has changed since the plan, it refuses and changes nothing.
func (u *Plan) Apply(ctx context.Context) (res Result, err error) {
	o := u.mem.Operation
	defer o.End(&res.Degraded, &err)
	res.Undo = u.Undo
	if err := u.Refusal(); err != nil {
		return res, err
	}
	if !u.steps.Done() {
		res.Commit, err = u.steps.Apply(ctx)
		if errors.Is(err, undo.ErrChanged) {
			err = &app.Error{Kind: app.KindRefused, Err: err, Hint: "try again"}
		}
		if err != nil {
			return res, u.failed(err)
		}
		res.Again = u.again()
	}
	if len(u.Possible) > 0 {
		res.Again = fmt.Sprintf("'agentflow undo %s --possible' takes that back too", memory.ShortID(u.entry.ID))
	}
	res.Done, res.Aside = len(u.Stays) == 0, u.steps.Aside
	if !u.none {
		u.mark(ctx, res.Commit)
	}
	return res, nil
}

// again returns the hint how to make the run's changes again.
func (u *Plan) again() string {
	flag := ""
	if slices.ContainsFunc(propose.ChangesOf(u.entry), func(c changeset.Change) bool { return !c.Certainty.Sure() }) {
		flag = " --possible"
	}
	return fmt.Sprintf("'agentflow diff %s%s | git apply' makes its changes again", memory.ShortID(u.entry.ID), flag)
}

// mark marks the run's entry as undone, once.
func (u *Plan) mark(ctx context.Context, commit string) {
	if u.entry.IsUndone() {
		return
	}
	s := u.mem
	ctx, cancel := context.WithTimeout(ctx, s.LockWait)
	defer cancel()
	err := lookup.RevisePatiently(ctx, s, func(files map[string][]byte) (writeback.Change, error) {
		c := writeback.Change{Command: "undo", Title: "the " + string(u.entry.Kind) + " is marked as undone"}
		now := time.Now()
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if after, found := markdown.Parse(files[name]).Undone(u.entry.ID, now, commit); found && !bytes.Equal(after, files[name]) {
				c.Edits = append(c.Edits, memory.FileEdit{File: name, Before: files[name], After: after})
			}
		}
		return c, nil
	})
	if err != nil {
		s.Degraded("undo", []string{fmt.Sprintf("the %s is not marked as undone in memory: %v", u.entry.Kind, err)})
		return
	}
	indexes.Reindex(ctx, s, "undo")
}

// onlyCommitted returns the paths that the run only committed, sorted.
func (u *Plan) onlyCommitted() []string {
	return PathsOf(u.edits.Those(func(c edits.Change) bool { return c.Claim() == edits.OnlyCommitted }).All())
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"agentflow/executor"
	"agentflow/gitwatch"
	"agentflow/gitwatch/undo"
	"agentflow/internal/filelock"
	"agentflow/memory"
	"agentflow/writeback"

	"github.com/spf13/cobra"
)

func (a *app) undoCommand() *cobra.Command {
	var dryRun, yes, asJSON bool
	cmd := &cobra.Command{
		Use:   "undo [flags] RUN|last",
		Short: "Take back what one run changed",
		Long: `Undo shows how it would take a run back, asks, and does it: what the run left
uncommitted goes back byte for byte, and one new commit takes its commits back,
as 'git revert' would. Other changes stay, staged ones too; no hook of git's is
run. Where later work overlaps it refuses, and changes nothing. A file it
removes or overwrites that is nowhere else is kept in the run's folder. An undo
that was cut short is finished by the next. The run's entry is marked as undone: it
ranks lower from then on, and says so.`,
		Example:           "  agentflow undo last --dry-run\n  agentflow undo 3f9a1c --yes",
		Args:              exactly(1, "one run's id, or 'last'"),
		ValidArgsFunction: a.completeEntries,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.site(cmd.Context())
			if err != nil {
				return err
			}
			e, err := s.lookUpEntry(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			u := undoing{site: s, entry: e, dryRun: dryRun, yes: yes, asJSON: asJSON}
			if err := u.run(cmd.Context()); err != nil {
				return fmt.Errorf("undoing run %s: %w", memory.ShortID(e.ID), err)
			}
			return nil
		},
	}
	cmd.Flags().BoolVarP(&dryRun, "dry-run", "n", false, "only show what it would do")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object: id, restore, remove, unstage, revert, refused, done, commit, aside")
	return cmd
}

// undoing is one undo at work.
type undoing struct {
	site                *site
	entry               *memory.Entry
	dryRun, yes, asJSON bool

	repo *gitwatch.Repo
	plan *undo.Plan
}

func (u *undoing) run(ctx context.Context) (err error) {
	if u.repo, err = u.site.repo(ctx); err != nil {
		return err
	}
	if err := u.check(); err != nil {
		return err
	}
	edits, err := u.site.editsOf(ctx, u.repo, u.entry)
	if err != nil {
		return err
	}
	if edits.lost {
		return codedError{code: exitError, err: errors.New(notKept(u.entry)), hint: "'git revert' takes its commits back"}
	}
	temp, unlock, err := u.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	u.plan, err = undo.New(ctx, u.repo, undo.Request{
		Dir: edits.dir, Temp: temp, Edits: edits.uncommitted, Committed: edits.committed, Moved: edits.moved,
		Commits: u.site.commitsNow(ctx, u.entry), From: gitwatch.Origin{Base: u.entry.Base, Branch: u.entry.Branch}, Message: u.message(ctx),
	})
	if err != nil {
		return err
	}
	defer u.plan.Close()
	return u.carryOut(ctx)
}

// check refuses what is known without looking at the files.
func (u *undoing) check() error {
	e, s := u.entry, u.site
	if e.Kind != memory.KindRun {
		return codedError{code: exitError, err: errors.New("it is a commit that no run made"), hint: "'git revert' takes a commit back"}
	}
	for _, why := range []string{e.Changes.Unread, e.Uncommitted.Unread} {
		if why != "" {
			return fmt.Errorf("not all that it changed could be read: %s", why)
		}
	}
	if e.Worktree != s.Linked && len(e.Uncommitted.Items) > 0 {
		where := "the main work tree"
		if e.Worktree != "" {
			where = "work tree " + e.Worktree
		}
		return codedError{code: exitError, err: fmt.Errorf("it left changes in %s", where), hint: "run it there"}
	}
	live, err := executor.Live(s.Runs())
	if err != nil {
		return err
	}
	for _, r := range live {
		if r.WorkTree == s.Worktree {
			return codedError{code: exitError, err: fmt.Errorf("run %s is at work here, and would count the undo as its own", memory.ShortID(r.ID)),
				hint: "wait for its end"}
		}
	}
	return nil
}

// lock keeps other undos out, and makes the folder for temporary files; what
// one that was killed left there goes. A dry run needs neither.
func (u *undoing) lock(ctx context.Context) (temp string, unlock func(), err error) {
	if u.dryRun {
		return "", func() {}, nil
	}
	state := u.site.State()
	lock, err := filelock.Acquire(ctx, filepath.Join(state, "undo.lock"), filelock.Self("undo", time.Now()), lockWait)
	var held *filelock.HeldError
	if errors.As(err, &held) {
		return "", nil, codedError{code: exitLocked, err: err, hint: "try again when it has finished"}
	}
	if err != nil {
		return "", nil, err
	}
	temp = filepath.Join(state, "undo")
	clear := func() error { return os.RemoveAll(temp) }
	if err := errors.Join(clear(), os.Mkdir(temp, 0o700)); err != nil {
		return "", nil, errors.Join(err, lock.Release())
	}
	return temp, func() { _ = errors.Join(clear(), lock.Release()) }, nil
}

// carryOut shows the plan, asks, and applies it.
func (u *undoing) carryOut(ctx context.Context) error {
	s := u.site
	done := u.plan.Done()
	if !u.asJSON {
		u.show()
	}
	if n := len(u.plan.Refused); n > 0 {
		err := codedError{code: exitError, err: errors.New("it cannot be taken back; nothing was changed"),
			hint: "'agentflow diff " + memory.ShortID(u.entry.ID) + "' prints what it changed"}
		if u.plan.Hint != "" {
			err.hint = u.plan.Hint
		}
		if u.asJSON {
			err.said = true
			return errors.Join(u.print("", false), err)
		}
		return err
	}
	if u.dryRun {
		if u.asJSON {
			return u.print("", done)
		}
		return nil
	}
	commit := ""
	if !done {
		if err := s.confirm("take this back?", u.yes); err != nil {
			return err
		}
		var err error
		if commit, err = u.plan.Apply(ctx); err != nil {
			return err
		}
	}
	u.remember(ctx, commit)
	if u.asJSON {
		return u.print(commit, true)
	}
	if u.plan.Aside != "" {
		s.say("files that were nowhere else are kept in %s", cleanLine(u.plan.Aside))
	}
	switch {
	case commit != "":
		s.say("took run %s back with commit %s", memory.ShortID(u.entry.ID), shortCommit(commit))
	case !done:
		s.say("took run %s back", memory.ShortID(u.entry.ID))
	}
	return nil
}

// remember marks the run's entry as taken back, once.
func (u *undoing) remember(ctx context.Context, commit string) {
	if u.entry.IsUndone() {
		return
	}
	s := u.site
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	err := s.revisePatiently(ctx, func(files map[string][]byte) (writeback.Change, error) {
		c := writeback.Change{Verb: "undo", Title: "the run is marked as undone"}
		now := time.Now()
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if after, found := memory.Parse(files[name]).Undone(u.entry.ID, now, commit); found && !bytes.Equal(after, files[name]) {
				c.Edits = append(c.Edits, memory.FileEdit{File: name, Before: files[name], After: after})
			}
		}
		return c, nil
	})
	if err != nil {
		s.degraded("undo", []string{fmt.Sprintf("the run is not marked as undone in memory: %v", err)})
		return
	}
	s.reindex(ctx, "undo")
}

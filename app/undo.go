package app

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
	"agentflow/memory/markdown"
	"agentflow/writeback"

	"github.com/spf13/cobra"
)

func (a *operation) undoCommand() *cobra.Command {
	var u undoing
	cmd := &cobra.Command{
		Use:   "undo [flags] RUN|last",
		Short: "Take back what one run changed",
		Long: `Undo shows how it would take a run back, asks, and does it: what the run left
uncommitted goes back byte for byte, and one new commit takes its commits back,
as 'git revert' would. Other changes stay, staged ones too; no hook of git's is
run. Where later work overlaps, or where somebody else changed a file too while
the run was on, it refuses, and changes nothing. What is only possibly the
run's stays and is listed, unless --possible says that it is; a terminal asks
for each path. What the run only committed stays, and so does what was there
before and cannot be given back, as a file that git ignored. A file it removes
or overwrites that is nowhere else is kept in the run's folder. An undo that was
cut short is finished by the next. The run's entry is marked as undone: it
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
			u.site, u.entry = s, e
			if err := u.run(cmd.Context()); err != nil {
				return fmt.Errorf("undoing run %s: %w", memory.ShortID(e.ID), err)
			}
			return nil
		},
	}
	cmd.Flags().BoolVarP(&u.dryRun, "dry-run", "n", false, "only show what it would do")
	cmd.Flags().BoolVarP(&u.yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&u.possible, "possible", false, "take back what is only possibly the run's too")
	cmd.Flags().BoolVar(&u.asJSON, "json", false, "one JSON object: id, restore, remove, unstage, revert, possible, refused, stays, done, commit, aside")
	return cmd
}

// undoing is one undo at work.
type undoing struct {
	site                *site
	entry               *memory.Entry
	dryRun, yes, asJSON bool
	possible            bool // what is only possibly the run's is taken back too

	repo  *gitwatch.Repo
	temp  string // folder for temporary files
	edits runEdits

	plan    *undo.Plan
	commits []memory.Commit // that the plan takes back, the newest first
	open    openEdits
}

func (u *undoing) run(ctx context.Context) (err error) {
	if u.repo, err = u.site.repo(ctx); err != nil {
		return err
	}
	if err := u.check(); err != nil {
		return err
	}
	if u.edits, err = u.site.editsOf(ctx, u.repo, u.entry); err != nil {
		return err
	}
	if u.edits.lost && u.needsLost() {
		return &Error{Kind: KindRefused, Err: errors.New(notKept(u.entry)), Hint: "'git revert' takes its commits back"}
	}
	var unlock func()
	if u.temp, unlock, err = u.lock(ctx); err != nil {
		return err
	}
	defer unlock()
	defer func() {
		if u.plan != nil {
			err = errors.Join(err, u.plan.Close())
		}
	}()
	if err := u.choose(ctx, nil); err != nil {
		return err
	}
	return u.carryOut(ctx)
}

// check refuses what is known without looking at the files.
func (u *undoing) check() error {
	e, s := u.entry, u.site
	if e.Kind != memory.KindRun {
		return &Error{Kind: KindRefused, Err: errors.New("it is a commit that no run made"), Hint: "'git revert' takes a commit back"}
	}
	for _, why := range []string{e.Changes.Unread, e.Uncommitted.Unread} {
		if why != "" {
			return fmt.Errorf("not all that it changed could be read: %s", why)
		}
	}
	if e.Worktree != s.Linked && len(e.Uncommitted.Items) > 0 {
		return u.elsewhere()
	}
	live, err := executor.Live(s.Runs())
	if err != nil {
		return err
	}
	for _, r := range live {
		if r.WorkTree == s.Worktree {
			return &Error{Kind: KindRefused, Err: fmt.Errorf("run %s is at work here, and would count the undo as its own", memory.ShortID(r.ID)),
				Hint: "wait for its end"}
		}
	}
	return nil
}

// elsewhere says where the run left its changes, which is where undo has to run.
func (u *undoing) elsewhere() error {
	e := u.entry
	where := "the main work tree"
	if e.Worktree != "" {
		where = "work tree " + e.Worktree
	}
	tree, err := u.site.treeNamed(e.Worktree)
	if err == nil && isDir(tree) {
		return &Error{Kind: KindRefused, Err: fmt.Errorf("it left changes in %s", where),
			Hint: fmt.Sprintf("'cd %s && agentflow undo %s' takes it back", shellWord(tree), memory.ShortID(e.ID))}
	}
	gone := &Error{Kind: KindRefused, Err: fmt.Errorf("it left changes in %s, which is gone, and they with it", where)}
	if len(e.Commits) > 0 {
		gone.Hint = "'git revert' takes its commits back"
	}
	return gone
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
		return "", nil, &Error{Kind: KindLocked, Err: err, Hint: "try again when it has finished"}
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
	if !u.asJSON {
		u.show()
	}
	if err := u.askEach(ctx); err != nil {
		return err
	}
	if err := u.refuse(); err != nil {
		if !u.asJSON {
			return err
		}
		code, hint := classify(err)
		return errors.Join(u.print("", false), codedError{code: code, err: err, hint: hint, said: true})
	}
	done := u.plan.Done()
	if u.dryRun {
		if u.asJSON {
			return u.print("", done)
		}
		return nil
	}
	commit, err := u.apply(ctx, done)
	if err != nil {
		return err
	}
	if !u.open.all {
		u.remember(ctx, commit)
	}
	var left error
	if n := len(u.plan.Stays); n > 0 {
		left = codedError{code: exitError, err: errors.New(staysAsIs(n)), said: u.asJSON}
	}
	if u.asJSON {
		return errors.Join(u.print(commit, true), left)
	}
	u.tell(commit, done)
	return left
}

// apply asks, and does what the plan says, if there is anything to do.
func (u *undoing) apply(ctx context.Context, done bool) (commit string, err error) {
	if done {
		return "", nil
	}
	if err := u.site.confirm("take this back?", u.yes); err != nil {
		return "", err
	}
	return u.plan.Apply(ctx)
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
			if after, found := markdown.Parse(files[name]).Undone(u.entry.ID, now, commit); found && !bytes.Equal(after, files[name]) {
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

package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"agentflow/internal/plural"

	"agentflow/executor"
	"agentflow/gitwatch/history"
	"agentflow/gitwatch/hook"
	"agentflow/gitwatch/reflog"
	"agentflow/writeback"
)

// Bounds of settling: how long it may hold up a command that somebody waits
// for, how long it waits for another writer, how many commits get an entry in one go, and how many
// a pull or a merge may bring that do.
const (
	settleWait  = 10 * time.Second
	settleLock  = 500 * time.Millisecond
	maxSettled  = 2000
	maxBrought  = 50
	maxBringers = 20
)

// errLater says that what hooks noted stays where it is for now.
var errLater = errors.New("later")

// settleSoon is settleCommits for a command that somebody waits for.
func (s *site) settleSoon(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, settleWait)
	defer cancel()
	s.settleCommits(ctx)
}

// settleCommits writes the entries of the commits that git's hooks noted
// since the last time. It costs one stat when there are none. What cannot be
// done is told and recorded, and tried again by the next command.
func (s *site) settleCommits(ctx context.Context) {
	if s.CommonDir == "" || !hook.Pending(s.State()) {
		return
	}
	err := hook.Take(ctx, s.State(), func(events []hook.Event, damaged int) error {
		return s.settleNoted(ctx, events, damaged)
	})
	if err != nil && !errors.Is(err, errLater) && !errors.Is(err, context.Canceled) {
		s.degraded("commits", []string{"recording the commits that git's hooks noted: " + err.Error()})
	}
}

// settleNoted is one turn: nil when everything is in the log.
func (s *site) settleNoted(ctx context.Context, events []hook.Event, damaged int) error {
	// What a run committed stands in its entry, which is written at its end.
	live, err := executor.Live(s.Runs())
	if err != nil {
		return err
	}
	if len(live) > 0 {
		return errLater
	}
	if damaged > 0 {
		s.degraded("commits", []string{fmt.Sprintf("%s of git's hooks could not be read; the reflog was read instead", plural.Count(damaged, "note"))})
	}
	origins, err := reflog.Origins(s.linkFiles().Rewrites)
	if err != nil {
		return err
	}
	came, marks, err := reflog.Read(s.CommonDir, reflog.LoadMarks(s.marksFile()), time.Now())
	if err != nil {
		return err
	}
	n := gather(events, came, origins)
	n.leaveOut(func(run string) bool { return executor.Unrecorded(s.Runs(), run) }, events)
	if err := s.addBrought(ctx, &n, came.Brought); err != nil {
		return err
	}
	if err := s.recordNoted(ctx, n, came.Branches); err != nil {
		return err
	}
	if err := reflog.RecordRewrites(s.linkFiles().Rewrites, n.rewrites); err != nil {
		return err
	}
	return marks.Save(s.marksFile())
}

// marksFile says how far the reflogs were read.
func (s *site) marksFile() string { return marksFile(s.State()) }

func marksFile(state string) string { return filepath.Join(state, "reflogs.json") }

// beginNoting makes what the reflogs tell so far old: only what comes after
// is settled. What was begun before goes on.
func beginNoting(commonDir, state string) error {
	file := marksFile(state)
	if reflog.LoadMarks(file) != nil {
		return nil
	}
	_, marks, err := reflog.Read(commonDir, nil, time.Now())
	if err != nil {
		return err
	}
	return marks.Save(file)
}

// endNoting forgets how far the reflogs were read: what happens while no hook
// is there is none of ours.
func endNoting(state string) error {
	if err := os.Remove(marksFile(state)); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// addBrought adds the few commits that a merge or a pull brought. Many are
// the history of others, which would drown what was done here: they are left
// to backfill, which is asked for.
func (s *site) addBrought(ctx context.Context, n *noted, spans []history.Range) error {
	for _, span := range spans[max(0, len(spans)-maxBringers):] {
		span.Last = maxBrought + 1
		refs, err := history.IDs(ctx, s.gitFolder(), span)
		if errors.Is(err, history.ErrNoCommit) {
			continue // it went again
		}
		if err != nil {
			return err
		}
		if len(refs) > maxBrought {
			s.say("more than %d commits were pulled or merged; 'agentflow backfill' takes them into memory", maxBrought)
			continue
		}
		for _, c := range refs {
			n.add(c.ID)
		}
	}
	return nil
}

// recordNoted writes the entries that are missing.
func (s *site) recordNoted(ctx context.Context, n noted, branches map[string]string) error {
	ids, err := s.missing(ctx, n)
	if err != nil || len(ids) == 0 {
		return err
	}
	commits, err := history.Read(ctx, s.gitFolder(), ids)
	if err != nil {
		return err
	}
	patches := s.patchIDs(ctx, commits, func(string) bool { return true })
	known, err := s.held(digitsOf(commits, patches))
	if err != nil {
		return err
	}
	entries, err := s.freshEntries(ctx, &known, commits, patches)
	if err != nil {
		return err
	}
	for i := range entries {
		id := entries[i].Commits[0].ID
		entries[i].Branch, entries[i].Worktree = branches[id], n.trees[id]
	}
	store := *s.store
	store.LockWait = settleLock
	out, err := store.RecordAll(ctx, entries)
	s.degraded("commits", out.Degraded)
	if errors.Is(err, writeback.ErrLocked) {
		return errLater
	}
	return err
}

// missing are the noted commits that memory does not hold, neither they nor
// what they were made of.
func (s *site) missing(ctx context.Context, n noted) ([]string, error) {
	roots := n.roots()
	known, err := s.held(digitsOfIDs(n.ids, roots))
	if err != nil {
		return nil, err
	}
	refused, err := s.refused(ctx, roots)
	if err != nil {
		return nil, err
	}
	settled := func(id string) bool { return known.commits[id] || refused[id] }
	ids := slices.DeleteFunc(n.newest(), func(id string) bool { return n.known(id, settled, map[string]bool{}) })
	if left := len(ids) - maxSettled; left > 0 {
		s.say("%s are left to 'agentflow backfill'", plural.Count(left, "commit"))
		ids = ids[left:]
	}
	return ids, nil
}

// refused are those of the commits whose entries were forgotten, or taken out
// by hand: what was made of them gets none either.
func (s *site) refused(ctx context.Context, ids []string) (map[string]bool, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	barred, err := s.store.Barred(ctx)
	if err != nil {
		return nil, err
	}
	refs, err := history.Times(ctx, s.gitFolder(), ids)
	out := map[string]bool{}
	for _, c := range refs {
		out[c.ID] = barred(history.EntryID(c.ID, c.Time))
	}
	return out, err
}

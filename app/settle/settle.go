// Package settle records the commits that no run made: those that git's hooks noted, and those that a pull brought.
package settle

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/lookup"
	"agentflow/executor"
	"agentflow/gitwatch/history"
	"agentflow/gitwatch/hook"
	"agentflow/gitwatch/reflog"
	"agentflow/internal/plural"
	"agentflow/writeback"
)

// MaxPulled limits the commits of a pull or a merge that get an entry each. A larger pull is the
// history of others, and left to Backfill.
const MaxPulled = 50

// Limits of settling: how long it may delay an operation that a user waits
// for, how long it waits for another writer, how many commits get an entry at
// once, and for how many pulls the commits are read.
const (
	settleWait = 10 * time.Second
	settleLock = 500 * time.Millisecond
	maxSettled = 2000
	maxPulls   = 20
)

// errLater means that the notes of hooks are left for a later turn.
var errLater = errors.New("later")

// SettleResult reports whether work is left.
type SettleResult struct {
	Waiting  bool // notes of hooks remain: a run is active, or another process writes
	Degraded []string
}

// Settle finishes interrupted work after a crash, and writes the entries of the commits
// that git's hooks noted. Other operations do the same before their own work.
func Settle(ctx context.Context, m *app.Memory) (result SettleResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	s, err := o.OpenRecovered(ctx)
	result.Waiting = err == nil && s.CommonDir != "" && hook.Pending(s.State())
	return result, err
}

// SettleSoon is SettleCommits for a command that a user waits for.
func SettleSoon(ctx context.Context, s *app.Repo) {
	ctx, cancel := context.WithTimeout(ctx, settleWait)
	defer cancel()
	SettleCommits(ctx, s)
}

// SettleCommits writes the entries of the commits that git's hooks noted
// since the last time. It costs two stats when there are none. It warns of a failure and
// records it, and the next command tries again.
func SettleCommits(ctx context.Context, s *app.Repo) {
	if s.CommonDir == "" {
		return
	}
	if hook.Paused(s.State()) {
		if err := ResumeNoting(ctx, s); err != nil {
			s.Degraded("commits", []string{"noting commits again: " + err.Error()})
			return
		}
	}
	var err error
	if hook.Pending(s.State()) {
		err = hook.Take(ctx, s.State(), func(events []hook.Event, damaged int) error {
			return settleEvents(ctx, s, events, damaged)
		})
	}
	if err == nil && deferredDue(s) {
		err = hook.Hold(ctx, s.State(), func() error { return settleDeferred(ctx, s) })
	}
	if err != nil && !errors.Is(err, errLater) && !errors.Is(err, context.Canceled) {
		s.Degraded("commits", []string{"recording the commits that git's hooks noted: " + err.Error()})
	}
}

// settleEvents does one turn. It returns nil if all events are in the log.
func settleEvents(ctx context.Context, s *app.Repo, events []hook.Event, damaged int) error {
	if err := idle(s); err != nil {
		return err
	}
	if damaged > 0 {
		s.Degraded("commits", []string{fmt.Sprintf("%s of git's hooks could not be read; the reflog was read instead", plural.Count(damaged, "note"))})
	}
	origins, err := reflog.Origins(lookup.LinkFiles(s).Rewrites)
	if err != nil {
		return err
	}
	arrivals, marks, err := reflog.Read(s.CommonDir, reflog.LoadMarks(app.MarksFile(s.State())), time.Now())
	if err != nil {
		return err
	}
	reported := gather(events, arrivals, origins)
	reported.leaveOut(func(id string) bool {
		run, err := executor.ReadRun(s.Runs(), id)
		return err == nil && run.Unrecorded
	}, events)
	if err := addPulled(ctx, s, &reported, arrivals.Brought); err != nil {
		return err
	}
	if err := recordOrDefer(ctx, s, reported, arrivals.Branches); err != nil {
		return err
	}
	if err := reflog.RecordRewrites(lookup.LinkFiles(s).Rewrites, reported.rewrites); err != nil {
		return err
	}
	return marks.Save(app.MarksFile(s.State()))
}

// idle returns errLater while a run or session works: its entry will contain its commits.
func idle(s *app.Repo) error {
	live, err := executor.Live(s.Runs())
	if err == nil && (len(live) > 0 || SessionAtWork(s, time.Now())) {
		return errLater
	}
	return err
}

// StartNoting marks the reflogs as read: only later commits are settled. It keeps existing
// marks.
func StartNoting(commonDir, state string) error {
	file := app.MarksFile(state)
	if reflog.LoadMarks(file) != nil {
		return nil
	}
	_, marks, err := reflog.Read(commonDir, nil, time.Now())
	if err != nil {
		return err
	}
	return marks.Save(file)
}

// StopNoting deletes the marks of the reflogs: commits that are made without
// hooks get no entries.
func StopNoting(state string) error {
	if err := os.Remove(app.MarksFile(state)); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// addPulled adds the few commits that a merge or a pull brought. Many commits are
// the history of others, which would hide the work that was done here. They
// are left to backfill.
func addPulled(ctx context.Context, s *app.Repo, r *ReportedCommits, spans []history.Range) error {
	for _, span := range spans[max(0, len(spans)-maxPulls):] {
		span.Last = MaxPulled + 1
		refs, err := history.IDs(ctx, app.GitFolder(s), span)
		if errors.Is(err, history.ErrNoCommit) {
			continue // it went again
		}
		if err != nil {
			return err
		}
		if len(refs) > MaxPulled {
			s.Say("more than %d commits were pulled or merged; 'agentflow backfill' takes them into memory", MaxPulled)
			continue
		}
		for _, c := range refs {
			r.add(c.ID)
		}
	}
	return nil
}

// fewReported limits the commits that are read before memory is asked for them, in one query.
const fewReported = 20

// recordReported writes the entries of the reported commits for which memory has neither the
// commit nor the commits that it was made of. It returns those that wait for the entry of a session.
func recordReported(ctx context.Context, s *app.Repo, r ReportedCommits, list deferredList) (later deferredList, _ error) {
	own := namesOf(append(r.Roots(), r.Ids...)...)
	ids := r.newest()
	if len(ids) > fewReported {
		recorded, err := knownAround(ctx, s, own)
		if err == nil {
			ids, err = missing(ctx, s, r, ids, recorded)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	s.Redact.Prepare() // while git is asked
	commits, patches, err := readCommits(ctx, s, ids)
	if err != nil {
		return nil, err
	}
	recorded, err := knownAround(ctx, s, append(own, namesAround(commits, patches)...))
	if err != nil {
		return nil, err
	}
	if ids, err = missing(ctx, s, r, ids, recorded); err != nil {
		return nil, err
	}
	commits = slices.DeleteFunc(commits, func(c history.Commit) bool { return !slices.Contains(ids, c.ID) })
	entries, err := FreshEntries(ctx, s, &recorded, recordable(s, commits), patches)
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	for i := range entries {
		id := entries[i].Commits[0].ID
		entries[i].Branch, entries[i].Worktree = list[id].Branch, r.trees[id]
	}
	if entries, later = splitDeferred(s, list, entries); len(entries) == 0 {
		return later, nil
	}
	s.Wrote.Store(true)
	out, err := s.Store.WithLockWait(settleLock).RecordAll(ctx, entries)
	s.Degraded("commits", out.Degraded)
	if errors.Is(err, writeback.ErrLocked) {
		return nil, errLater
	}
	return later, err
}

// recordable returns the commits that can get an entry, and warns about the others.
func recordable(s *app.Repo, commits []history.Commit) []history.Commit {
	var missed api.BackfillReport
	if commits = Readable(commits, &missed); missed.Unread > 0 {
		s.Degraded("commits", []string{fmt.Sprintf("%s cannot be recorded: files are missing from the repository; 'agentflow backfill' lists them", plural.Count(missed.Unread, "commit"))})
	}
	for _, c := range missed.Missing {
		if c.Undated {
			s.Degraded("commits", []string{fmt.Sprintf("commit %.7s cannot be recorded: it has no valid date", c.Commit)})
		}
	}
	return commits
}

// missing returns the reported commits for which memory has neither the commit nor the
// commits that it was made of.
func missing(ctx context.Context, s *app.Repo, r ReportedCommits, ids []string, recorded KnownCommits) ([]string, error) {
	missing := slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		return r.settled(id, func(id string) bool { return recorded.names(id) })
	})
	if len(missing) == 0 {
		return nil, nil
	}
	forgotten, err := ForgottenCommits(ctx, s, slices.DeleteFunc(r.Roots(), func(id string) bool { return recorded.names(id) }))
	if err != nil {
		return nil, err
	}
	missing = slices.DeleteFunc(missing, func(id string) bool {
		return r.settled(id, func(id string) bool { return recorded.names(id) || forgotten[id] })
	})
	if left := len(missing) - maxSettled; left > 0 {
		s.Say("%s are left to 'agentflow backfill'", plural.Count(left, "commit"))
		missing = missing[left:]
	}
	return missing, nil
}

// ForgottenCommits returns those of the commits of which an entry was forgotten or removed by
// hand. A commit made from one of them gets no entry either.
func ForgottenCommits(ctx context.Context, s *app.Repo, ids []string) (map[string]bool, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	barred, err := s.Store.Barred(ctx)
	if err != nil {
		return nil, err
	}
	refs, err := history.Times(ctx, app.GitFolder(s), ids)
	out := map[string]bool{}
	for _, c := range refs {
		out[c.ID] = history.IsForgotten(c, barred)
	}
	return out, err
}

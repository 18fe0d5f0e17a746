// Package commit writes entries for commits that were made before memory existed (Backfill), and installs, reports
// and removes git's hooks (InstallHooks, Hooks, UninstallHooks). Settle of package app writes the entries of commits
// that the hooks noted.
//
// Guarantees: no commit gets a second entry, because its id follows from the commit's. Commits of runs, forgotten
// commits, and commits that replaced those with an entry, get none. Backfill may be stopped at any time, and the
// next call continues. UninstallHooks restores, byte for byte, the files that were replaced, and leaves a hook that
// was changed since its installation.
//
// Not guaranteed: if git is set up to run other hooks, the user has to add our lines to them. The result names them.
// A commit with missing files is reported and gets no entry.
package commit

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/indexes"
	"agentflow/app/lookup"
	"agentflow/app/settle"
	"agentflow/gitwatch/history"
	"agentflow/gitwatch/reflog"
	"agentflow/internal/lists"
	"agentflow/internal/plural"
	"agentflow/memory"
)

// BackfillRequest selects the commits that get entries.
type BackfillRequest struct {
	Last   int       // only the newest commits, at most this many; 0: all
	Since  time.Time // only commits at or after this time; zero: all
	Branch string    // the history of this branch; empty: the history of HEAD
	DryRun bool      // list the entries without writing them
}

// BackfillResult counts the commits by what was done with them. It is valid with an error too:
// entries that were written before the error stay.
type BackfillResult struct {
	api.BackfillReport
	Degraded []string
}

// Backfill writes an entry for each commit of the history that memory does not know, and indexes
// the entries. It may be stopped at any time. The next call continues with the remaining commits.
func Backfill(ctx context.Context, m *app.Memory, req BackfillRequest) (result BackfillResult, err error) {
	o, start := m.Begin(ctx), time.Now()
	defer func() {
		result.DurationMS = time.Since(start).Milliseconds()
		o.End(&result.Degraded, &err)
	}()
	result.DryRun = req.DryRun
	place, dirs, err := o.Place()
	if err != nil {
		return result, err
	}
	if place.CommonDir == "" {
		return result, &app.Error{Kind: app.KindNoPlace, Err: errors.New("reading the history: no git repository here")}
	}
	var s *app.Repo
	if req.DryRun {
		s, err = app.OpenPlace(ctx, o, place, dirs)
	} else {
		s, err = o.OpenToWrite(ctx)
	}
	if err != nil {
		return result, err
	}
	if err := backfill(ctx, s, req, &result.BackfillReport); err != nil {
		return result, err
	}
	if !req.DryRun {
		bar := app.NewBar(s.Operation, "indexing")
		defer bar.End()
		s.Progress = bar.Files
		indexes.Reindex(ctx, s, "backfill")
	}
	return result, historyError(ctx, s, result.BackfillReport)
}

// historyError returns an error if the history could not be read completely. Missing contents are no
// error in a partial clone, which lacks them by intent.
func historyError(ctx context.Context, s *app.Repo, r api.BackfillReport) error {
	const hint = "'git fsck' names the missing objects, 'git fetch --refetch' gets them again from the remote"
	if r.Unread > 0 {
		return &app.Error{Kind: app.KindNotRecorded, Hint: hint + "; then backfill again",
			Err: fmt.Errorf("reading the history: %s cannot be recorded, as files are missing from the repository", plural.Count(r.Unread, "commit"))}
	}
	if repo, err := s.Repo(ctx); r.Uncounted == 0 || err == nil && repo.Partial() {
		return nil
	}
	return &app.Error{Kind: app.KindInternal, Hint: hint,
		Err: fmt.Errorf("reading the history: the lines of %s cannot be counted, as contents are missing from the repository", plural.Count(r.Uncounted, "commit"))}
}

// maxPatched limits the newest commits that get a patch id, which identifies them after a
// rewrite. A patch id costs a second look at each change. Commits that a remote has are not
// rewritten, so they get none.
const maxPatched = settle.BackfillLast

func backfill(ctx context.Context, s *app.Repo, req BackfillRequest, report *api.BackfillReport) error {
	what := "recording"
	if req.DryRun {
		what = "reading the history"
	}
	bar := app.NewBar(s.Operation, what)
	defer bar.End()
	refs, err := history.IDs(ctx, app.GitFolder(s), history.Range{Rev: req.Branch, Last: req.Last, Since: req.Since})
	if errors.Is(err, history.ErrNoCommit) && req.Branch == "" {
		return nil // there are no commits yet
	}
	if err != nil {
		return err
	}
	recorded, err := settle.ReadKnownCommits(s)
	if err != nil {
		return err
	}
	todo, err := toRecord(ctx, s, &recorded, refs, report)
	if err != nil {
		return err
	}
	refs, err = history.IDs(ctx, app.GitFolder(s), history.Range{Rev: req.Branch, Last: maxPatched, Local: true})
	if err != nil {
		return err
	}
	patches := localPatches(ctx, s, todo, refs)
	done := 0
	for commits, err := range readAhead(ctx, s, todo) {
		if err != nil {
			return err
		}
		done += len(commits)
		commits = settle.Readable(commits, report)
		entries, err := settle.FreshEntries(ctx, s, &recorded, commits, patches(commits))
		if err != nil {
			return err
		}
		report.Held += len(commits) - len(entries)
		if err := recordCommits(ctx, s, entries, report); err != nil {
			return err
		}
		bar.Commits(done, len(todo))
	}
	return nil
}

// localPatches starts to compute the patch ids of the commits in todo that are also in local. The
// function that it returns waits for them, and returns those of some commits.
func localPatches(ctx context.Context, s *app.Repo, todo []string, local []history.Ref) func([]history.Commit) map[string]string {
	wanted := settle.IdSet{}
	for _, c := range local {
		wanted.Add(c.ID)
	}
	ids := slices.DeleteFunc(slices.Clone(todo), func(id string) bool { return !wanted[id] })
	found := make(chan map[string]string, 1)
	go func() { found <- settle.PatchIDs(ctx, s, ids) }()
	all := sync.OnceValue(func() map[string]string { return <-found })
	return func(commits []history.Commit) map[string]string {
		patches := map[string]string{}
		for _, c := range commits {
			if wanted[c.ID] && c.Unread == "" {
				patches[c.ID] = all()[c.ID]
			}
		}
		return patches
	}
}

// toRecord returns the ids of the commits that get an entry. It counts the others in the report.
func toRecord(ctx context.Context, s *app.Repo, recorded *settle.KnownCommits, refs []history.Ref, report *api.BackfillReport) (todo []string, err error) {
	report.Commits = len(refs)
	barred, err := s.Store.Barred(ctx)
	if err != nil {
		return nil, err
	}
	made := settle.ReportedCommits{}
	if made.Origins, err = reflog.Origins(lookup.LinkFiles(s).Rewrites); err != nil {
		return nil, err
	}
	made.Ids = lists.Mapped(refs, func(c history.Ref) string { return c.ID })
	forgotten, err := settle.ForgottenCommits(ctx, s, made.Roots())
	if err != nil {
		return nil, err
	}
	for _, c := range refs {
		switch recorded.Status(c, barred, made, forgotten) {
		case settle.CommitNew:
			todo = append(todo, c.ID)
		case settle.CommitRecorded:
			report.Held++
		case settle.CommitInOther:
			report.OfRuns++
		case settle.CommitForgotten:
			report.Forgotten++
		}
	}
	return todo, nil
}

// backfillChunk limits the commits written under one lock. It is small, so that a run that
// ends meanwhile does not wait long for the lock.
const backfillChunk = 500

// readAhead yields the commits in the order of their ids, in chunks of backfillChunk, each with an
// error. It reads one chunk ahead of the caller, because counting lines is most of the work.
func readAhead(ctx context.Context, s *app.Repo, ids []string) iter.Seq2[[]history.Commit, error] {
	type chunk struct {
		commits []history.Commit
		err     error
	}
	return func(yield func([]history.Commit, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		ahead := make(chan chunk, 1)
		go func() {
			defer close(ahead)
			for commits, err := range history.Batches(ctx, app.GitFolder(s), ids, backfillChunk) {
				select {
				case ahead <- chunk{commits, err}:
				case <-ctx.Done():
					return
				}
			}
		}()
		for c := range ahead {
			if !yield(c.commits, c.err) {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// recordCommits writes entries. For a dry run it only lists them in the report.
func recordCommits(ctx context.Context, s *app.Repo, entries []memory.Entry, report *api.BackfillReport) error {
	if report.DryRun {
		for _, e := range entries {
			report.Entries = append(report.Entries, api.BackfillEntry{ID: e.ID, Commit: e.Commits[0].ID, Time: e.Time, Title: e.Title})
		}
		report.Recorded = len(report.Entries)
		return nil
	}
	out, err := s.Store.RecordAll(ctx, entries)
	s.Degraded("backfill", out.Degraded)
	report.Recorded += out.Written
	report.Waiting += out.Waiting
	report.Forgotten += out.Forgotten + out.Removed
	return err
}

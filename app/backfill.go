package app

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"agentflow/api"
	"agentflow/gitwatch/history"
	"agentflow/gitwatch/reflog"
	"agentflow/internal/plural"
	"agentflow/memory"
)

// BackfillLast is how many commits a first backfill reads.
const BackfillLast = 500

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
func Backfill(ctx context.Context, m *Memory, req BackfillRequest) (result BackfillResult, err error) {
	o, start := m.begin(ctx), time.Now()
	defer func() {
		result.DurationMS = time.Since(start).Milliseconds()
		o.end(&result.Degraded, &err)
	}()
	result.DryRun = req.DryRun
	place, dirs, err := o.place()
	if err != nil {
		return result, err
	}
	if place.CommonDir == "" {
		return result, &Error{Kind: KindNoPlace, Err: errors.New("reading the history: no git repository here")}
	}
	var s *openMemory
	if req.DryRun {
		s, err = openPlace(ctx, o, place, dirs)
	} else {
		s, err = o.openToWrite(ctx)
	}
	if err != nil {
		return result, err
	}
	if err := backfill(ctx, s, req, &result.BackfillReport); err != nil {
		return result, err
	}
	if !req.DryRun {
		bar := newBar(s.operation, "indexing")
		defer bar.end()
		s.progress = bar.files
		reindex(ctx, s, "backfill")
	}
	return result, historyError(ctx, s, result.BackfillReport)
}

// historyError returns an error if the history could not be read completely. Missing contents are no
// error in a partial clone, which lacks them by intent.
func historyError(ctx context.Context, s *openMemory, r api.BackfillReport) error {
	const hint = "'git fsck' names what is missing, 'git fetch --refetch' gets it again from the remote"
	if r.Unread > 0 {
		return &Error{Kind: KindNotRecorded, Hint: hint + "; then backfill again",
			Err: fmt.Errorf("reading the history: %s cannot be recorded, as files are missing from the repository", plural.Count(r.Unread, "commit"))}
	}
	if repo, err := s.repo(ctx); r.Uncounted == 0 || err == nil && repo.Partial() {
		return nil
	}
	return &Error{Kind: KindInternal, Hint: hint,
		Err: fmt.Errorf("reading the history: the lines of %s cannot be counted, as contents are missing from the repository", plural.Count(r.Uncounted, "commit"))}
}

// maxPatched is how many of the newest commits get a patch id, which identifies them after a
// rewrite. A patch id costs a second look at each change. Commits that a remote has are not
// rewritten, so they get none.
const maxPatched = BackfillLast

func backfill(ctx context.Context, s *openMemory, req BackfillRequest, report *api.BackfillReport) error {
	refs, err := history.IDs(ctx, gitFolder(s), history.Range{Rev: req.Branch, Last: req.Last, Since: req.Since})
	if errors.Is(err, history.ErrNoCommit) && req.Branch == "" {
		return nil // there are no commits yet
	}
	if err != nil {
		return err
	}
	recorded, err := readKnownCommits(s)
	if err != nil {
		return err
	}
	todo, err := toRecord(ctx, s, &recorded, refs, report)
	if err != nil {
		return err
	}
	refs, err = history.IDs(ctx, gitFolder(s), history.Range{Rev: req.Branch, Last: maxPatched, Local: true})
	if err != nil {
		return err
	}
	patches := localPatches(ctx, s, todo, refs)
	bar := newBar(s.operation, "recording")
	defer bar.end()
	done := 0
	for commits, err := range readAhead(ctx, s, todo) {
		if err != nil {
			return err
		}
		done += len(commits)
		commits = readable(commits, report)
		entries, err := freshEntries(ctx, s, &recorded, commits, patches(commits))
		if err != nil {
			return err
		}
		report.Held += len(commits) - len(entries)
		if err := recordCommits(ctx, s, entries, report); err != nil {
			return err
		}
		bar.commits(done, len(todo))
	}
	return nil
}

// localPatches starts to compute the patch ids of the commits in todo that are also in local. The
// function that it returns waits for them, and returns those of some commits.
func localPatches(ctx context.Context, s *openMemory, todo []string, local []history.Ref) func([]history.Commit) map[string]string {
	wanted := idSet{}
	for _, c := range local {
		wanted.add(c.ID)
	}
	ids := slices.DeleteFunc(slices.Clone(todo), func(id string) bool { return !wanted[id] })
	found := make(chan map[string]string, 1)
	go func() { found <- patchIDs(ctx, s, ids) }()
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

// maxMissed is how many commits with missing objects the report names.
const maxMissed = 100

// readable returns the commits that get an entry. Merges without changes of their own get none, and
// neither do commits without a readable date or list of files. The report names the commits with
// missing objects.
func readable(commits []history.Commit, report *api.BackfillReport) []history.Commit {
	return slices.DeleteFunc(commits, func(c history.Commit) bool {
		if c.Joins() {
			report.Merges++
			return true
		}
		missed := api.MissedCommit{Commit: c.ID, Title: memory.Title(c.Subject), Unread: c.Unread == history.NoFiles, Undated: c.Time.IsZero()}
		switch {
		case missed.Undated:
			report.Undated++
		case missed.Unread:
			report.Unread++
		case c.Uncounted:
			report.Uncounted++
		default:
			return false
		}
		if len(report.Missing) < maxMissed {
			report.Missing = append(report.Missing, missed)
		}
		return missed.Undated || missed.Unread
	})
}

// toRecord returns the ids of the commits that get an entry. It counts the others in the report.
func toRecord(ctx context.Context, s *openMemory, recorded *knownCommits, refs []history.Ref, report *api.BackfillReport) (todo []string, err error) {
	report.Commits = len(refs)
	barred, err := s.store.Barred(ctx)
	if err != nil {
		return nil, err
	}
	made := reportedCommits{}
	if made.origins, err = reflog.Origins(linkFiles(s).Rewrites); err != nil {
		return nil, err
	}
	made.ids = mapped(refs, func(c history.Ref) string { return c.ID })
	forgotten, err := forgottenCommits(ctx, s, made.roots())
	if err != nil {
		return nil, err
	}
	for _, c := range refs {
		switch recorded.status(c, barred, made, forgotten) {
		case commitNew:
			todo = append(todo, c.ID)
		case commitRecorded:
			report.Held++
		case commitInOther:
			report.OfRuns++
		case commitForgotten:
			report.Forgotten++
		}
	}
	return todo, nil
}

// backfillChunk is how many commits are written under one lock. It is small, so that a run that
// ends meanwhile does not wait long for the lock.
const backfillChunk = 500

// readAhead yields the commits in the order of their ids, in chunks of backfillChunk, each with an
// error. It reads one chunk ahead of the caller, because counting lines is most of the work.
func readAhead(ctx context.Context, s *openMemory, ids []string) iter.Seq2[[]history.Commit, error] {
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
			for commits, err := range history.Batches(ctx, gitFolder(s), ids, backfillChunk) {
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
func recordCommits(ctx context.Context, s *openMemory, entries []memory.Entry, report *api.BackfillReport) error {
	if report.DryRun {
		for _, e := range entries {
			report.Entries = append(report.Entries, api.BackfillEntry{ID: e.ID, Commit: e.Commits[0].ID, Time: e.Time, Title: e.Title})
		}
		report.Recorded = len(report.Entries)
		return nil
	}
	out, err := s.store.RecordAll(ctx, entries)
	s.degraded("backfill", out.Degraded)
	report.Recorded += out.Written
	report.Waiting += out.Waiting
	report.Forgotten += out.Forgotten + out.Removed
	return err
}

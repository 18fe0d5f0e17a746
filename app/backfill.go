package app

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"slices"
	"time"

	"agentflow/api"
	"agentflow/gitwatch/history"
	"agentflow/gitwatch/reflog"
	"agentflow/memory"
)

// BackfillLast is how many commits a first backfill looks at.
const BackfillLast = 500

// BackfillRequest says which commits get entries.
type BackfillRequest struct {
	Last   int       // only so many of the newest; 0: all
	Since  time.Time // only those from then on; zero: all
	Branch string    // the history of this branch; empty: of what is checked out
	DryRun bool      // list the entries, and write none
}

// BackfillResult counts what was done with the commits, also with an error:
// entries that were written before it stay.
type BackfillResult struct {
	api.BackfillReport
	Degraded []string
}

// Backfill writes an entry for each commit of the history that memory does not
// know, and makes them findable. It may be ended at any time, and goes on from
// there when it is called again.
func (m *Memory) Backfill(ctx context.Context, req BackfillRequest) (BackfillResult, error) {
	o, start := m.begin(ctx), time.Now()
	report := api.BackfillReport{DryRun: req.DryRun}
	s, err := o.toBackfill(ctx, req.DryRun)
	if err == nil {
		err = s.backfill(ctx, req, &report)
	}
	report.DurationMS = time.Since(start).Milliseconds()
	return BackfillResult{report, o.all()}, typed(err)
}

// toBackfill opens the memory, and makes it when it is to be written.
func (o *operation) toBackfill(ctx context.Context, dryRun bool) (*openMemory, error) {
	place, dirs, err := o.place()
	switch {
	case err != nil:
		return nil, err
	case place.CommonDir == "":
		return nil, &Error{Kind: KindNoPlace, Err: errors.New("reading the history: no git repository here")}
	case dryRun:
		return o.openPlace(ctx, place, dirs)
	}
	return o.openToWrite(ctx)
}

func (s *openMemory) backfill(ctx context.Context, req BackfillRequest, report *api.BackfillReport) error {
	refs, err := history.IDs(ctx, s.gitFolder(), history.Range{Rev: req.Branch, Last: req.Last, Since: req.Since})
	if errors.Is(err, history.ErrNoCommit) && req.Branch == "" {
		return nil // nothing was committed yet
	}
	if err != nil {
		return err
	}
	known, err := s.knownCommits(nil)
	if err != nil {
		return err
	}
	todo, err := s.toRecord(ctx, &known, refs, report)
	if err != nil {
		return err
	}
	local, err := s.localCommits(ctx, req.Branch)
	if err != nil {
		return err
	}
	record := func(entries []memory.Entry) error { return s.recordCommits(ctx, entries, report) }
	if req.DryRun {
		record = func(entries []memory.Entry) error { listCommits(entries, report); return nil }
	}
	if err := s.backfillEach(ctx, &known, todo, local, report, record); err != nil || req.DryRun {
		return err
	}
	s.indexBackfilled(ctx)
	return nil
}

// maxPatched is how many of the newest commits get a patch id, by which they
// are recognised after they were rewritten: it costs a second look at each
// change, and commits that others have are not rewritten.
const maxPatched = BackfillLast

// localCommits are the newest commits that no remote has.
func (s *openMemory) localCommits(ctx context.Context, rev string) (map[string]bool, error) {
	refs, err := history.IDs(ctx, s.gitFolder(), history.Range{Rev: rev, Last: maxPatched, Local: true})
	local := map[string]bool{}
	for _, c := range refs {
		local[c.ID] = true
	}
	return local, err
}

// indexBackfilled makes the entries findable at once.
func (s *openMemory) indexBackfilled(ctx context.Context) {
	bar := s.newBar("indexing")
	defer bar.end()
	s.progress = bar.files
	db, degraded := s.indexed(ctx)
	if db != nil {
		degraded = appendError(degraded, db.Close())
	}
	s.degraded("backfill", degraded)
}

// toRecord are the commits that get an entry; the others are counted.
func (s *openMemory) toRecord(ctx context.Context, known *knownCommits, refs []history.Ref, report *api.BackfillReport) (todo []string, err error) {
	report.Commits = len(refs)
	barred, err := s.store.Barred(ctx)
	if err != nil {
		return nil, err
	}
	rewritten, err := s.rewrittenStatus(ctx, refs, known)
	if err != nil {
		return nil, err
	}
	for _, c := range refs {
		status := known.status(c, barred)
		if status == commitNew {
			status = rewritten(c.ID)
		}
		switch status {
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

// rewrittenStatus tells the status of commits by those that they were made of,
// as far as hooks noted that.
func (s *openMemory) rewrittenStatus(ctx context.Context, refs []history.Ref, known *knownCommits) (func(commit string) commitStatus, error) {
	origins, err := reflog.Origins(s.linkFiles().Rewrites)
	if err != nil {
		return nil, err
	}
	r := reportedCommits{origins: origins}
	for _, c := range refs {
		r.ids = append(r.ids, c.ID)
	}
	forgotten, err := s.forgottenCommits(ctx, r.roots())
	return func(commit string) commitStatus {
		switch {
		case r.settled(commit, func(id string) bool { return forgotten[id] }):
			return commitForgotten
		case r.settled(commit, func(id string) bool { return forgotten[id] || known.commits[id] }):
			return commitRecorded
		}
		return commitNew
	}, err
}

// backfillChunk is how many commits are read by one git and written in one
// turn: enough to make the cost of starting git small, few enough that a run
// which ends meanwhile need not wait long for the lock.
const backfillChunk = 500

// readAhead yields the commits in the order of their ids, a chunk at a time.
// Several gits read at once, ahead of the caller: counting lines is most of
// the work. An error is yielded once, as the last pair.
func (s *openMemory) readAhead(ctx context.Context, ids []string) iter.Seq2[[]history.Commit, error] {
	type part struct {
		commits []history.Commit
		err     error
	}
	return func(yield func([]history.Commit, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		ahead := make(chan chan part, max(runtime.NumCPU()-1, 1))
		go func() {
			defer close(ahead)
			for chunk := range slices.Chunk(ids, backfillChunk) {
				read := make(chan part, 1)
				select {
				case ahead <- read:
				case <-ctx.Done():
					return
				}
				go func() {
					commits, err := history.Read(ctx, s.gitFolder(), chunk)
					read <- part{commits, err}
				}()
			}
		}()
		for read := range ahead {
			p := <-read
			if !yield(p.commits, p.err) || p.err != nil {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// backfillEach makes the entries of commits and passes them to record, a chunk
// at a time.
func (s *openMemory) backfillEach(ctx context.Context, known *knownCommits, todo []string, local map[string]bool, report *api.BackfillReport, record func([]memory.Entry) error) error {
	bar := s.newBar("recording")
	defer bar.end()
	done := 0
	for commits, err := range s.readAhead(ctx, todo) {
		if err != nil {
			return err
		}
		patches := s.patchIDs(ctx, commits, func(commit string) bool { return local[commit] })
		entries, err := s.freshEntries(ctx, known, commits, patches)
		if err != nil {
			return err
		}
		report.Held += len(commits) - len(entries)
		if err := record(entries); err != nil {
			return err
		}
		done += len(commits)
		bar.commits(done, len(todo))
	}
	return nil
}

// recordCommits writes entries.
func (s *openMemory) recordCommits(ctx context.Context, entries []memory.Entry, report *api.BackfillReport) error {
	out, err := s.store.RecordAll(ctx, entries)
	s.degraded("backfill", out.Degraded)
	report.Recorded += out.Written
	report.Waiting += out.Waiting
	report.Forgotten += out.Forgotten + out.Removed
	return err
}

// listCommits lists entries that a dry run does not write.
func listCommits(entries []memory.Entry, report *api.BackfillReport) {
	for _, e := range entries {
		report.Entries = append(report.Entries, api.BackfillEntry{ID: e.ID, Commit: e.Commits[0].ID, Time: e.Time, Title: e.Title})
	}
	report.Recorded = len(report.Entries)
}

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
func (m *Memory) Backfill(ctx context.Context, req BackfillRequest) (result BackfillResult, err error) {
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
		s, err = o.openPlace(ctx, place, dirs)
	} else {
		s, err = o.openToWrite(ctx)
	}
	if err != nil {
		return result, err
	}
	if err := s.backfill(ctx, req, &result.BackfillReport); err != nil || req.DryRun {
		return result, err
	}
	bar := s.newBar("indexing")
	defer bar.end()
	s.progress = bar.files
	s.reindex(ctx, "backfill")
	return result, nil
}

// maxPatched is how many of the newest commits get a patch id, by which they
// are recognised after they were rewritten: it costs a second look at each
// change, and commits that a remote has are not rewritten.
const maxPatched = BackfillLast

func (s *openMemory) backfill(ctx context.Context, req BackfillRequest, report *api.BackfillReport) error {
	refs, err := history.IDs(ctx, s.gitFolder(), history.Range{Rev: req.Branch, Last: req.Last, Since: req.Since})
	if errors.Is(err, history.ErrNoCommit) && req.Branch == "" {
		return nil // nothing was committed yet
	}
	if err != nil {
		return err
	}
	recorded, err := s.knownCommits(nil)
	if err != nil {
		return err
	}
	todo, err := s.toRecord(ctx, &recorded, refs, report)
	if err != nil {
		return err
	}
	refs, err = history.IDs(ctx, s.gitFolder(), history.Range{Rev: req.Branch, Last: maxPatched, Local: true})
	if err != nil {
		return err
	}
	local := idSet{}
	for _, c := range refs {
		local.add(c.ID)
	}
	bar := s.newBar("recording")
	defer bar.end()
	done := 0
	for commits, err := range s.readAhead(ctx, todo) {
		if err != nil {
			return err
		}
		entries, err := s.freshEntries(ctx, &recorded, commits, s.patchIDs(ctx, commits, local))
		if err != nil {
			return err
		}
		report.Held += len(commits) - len(entries)
		if err := s.recordCommits(ctx, entries, report); err != nil {
			return err
		}
		done += len(commits)
		bar.commits(done, len(todo))
	}
	return nil
}

// toRecord are the commits that get an entry; the others are counted.
func (s *openMemory) toRecord(ctx context.Context, recorded *knownCommits, refs []history.Ref, report *api.BackfillReport) (todo []string, err error) {
	report.Commits = len(refs)
	barred, err := s.store.Barred(ctx)
	if err != nil {
		return nil, err
	}
	made := reportedCommits{}
	if made.origins, err = reflog.Origins(s.linkFiles().Rewrites); err != nil {
		return nil, err
	}
	made.ids = mapped(refs, func(c history.Ref) string { return c.ID })
	forgotten, err := s.forgottenCommits(ctx, made.roots())
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

// recordCommits writes entries, or lists them for a dry run.
func (s *openMemory) recordCommits(ctx context.Context, entries []memory.Entry, report *api.BackfillReport) error {
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

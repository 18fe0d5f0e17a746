package app

import (
	"context"
	"errors"

	"agentflow/gitwatch/history"
	"agentflow/gitwatch/reflog"
	"agentflow/memory"
)

// fill records the commits of a span that memory does not know.
func (s *site) fill(ctx context.Context, span history.Range, dryRun bool) (backfillReport, error) {
	report := backfillReport{DryRun: dryRun}
	refs, err := history.IDs(ctx, s.gitFolder(), span)
	if errors.Is(err, history.ErrNoCommit) && span.Rev == "" {
		return report, nil // nothing was committed yet
	}
	if err != nil {
		return report, err
	}
	known, err := s.held(nil)
	if err != nil {
		return report, err
	}
	todo, err := s.toRecord(ctx, &known, refs, &report)
	if err != nil {
		return report, err
	}
	local, err := s.local(ctx, span.Rev)
	if err != nil {
		return report, err
	}
	take := func(entries []memory.Entry) error { return s.take(ctx, entries, &report) }
	if dryRun {
		take = report.foretell
	}
	if err := s.fillIn(ctx, &known, todo, local, &report, take); err != nil || dryRun {
		return report, err
	}
	s.indexFilled(ctx)
	return report, nil
}

// maxPatched is how many of the newest commits get a patch id, by which they
// are known again after they were rewritten: it costs a second look at each
// change, and what others have is not rewritten.
const maxPatched = backfillLast

// local are the newest commits that no remote has.
func (s *site) local(ctx context.Context, rev string) (map[string]bool, error) {
	refs, err := history.IDs(ctx, s.gitFolder(), history.Range{Rev: rev, Last: maxPatched, Local: true})
	local := map[string]bool{}
	for _, c := range refs {
		local[c.ID] = true
	}
	return local, err
}

// indexFilled makes what was recorded findable at once.
func (s *site) indexFilled(ctx context.Context) {
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
func (s *site) toRecord(ctx context.Context, known *held, refs []history.Ref, report *backfillReport) (todo []string, err error) {
	report.Commits = len(refs)
	barred, err := s.store.Barred(ctx)
	if err != nil {
		return nil, err
	}
	line, err := s.lineage(ctx, refs, known)
	if err != nil {
		return nil, err
	}
	for _, c := range refs {
		lot := known.of(c, barred)
		if lot == lotWrite {
			lot = line(c.ID)
		}
		switch lot {
		case lotWrite:
			todo = append(todo, c.ID)
		case lotHeld:
			report.Held++
		case lotOfRun:
			report.OfRuns++
		case lotRefused:
			report.Forgotten++
		}
	}
	return todo, nil
}

// lineage tells the lot of commits by those that they were made of, as far as
// hooks noted that.
func (s *site) lineage(ctx context.Context, refs []history.Ref, known *held) (func(commit string) lot, error) {
	origins, err := reflog.Origins(s.linkFiles().Rewrites)
	if err != nil {
		return nil, err
	}
	n := noted{origins: origins}
	for _, c := range refs {
		n.ids = append(n.ids, c.ID)
	}
	refused, err := s.refused(ctx, n.roots())
	return func(commit string) lot {
		switch {
		case n.known(commit, func(id string) bool { return refused[id] }, map[string]bool{}):
			return lotRefused
		case n.known(commit, func(id string) bool { return refused[id] || known.commits[id] }, map[string]bool{}):
			return lotHeld
		}
		return lotWrite
	}, err
}

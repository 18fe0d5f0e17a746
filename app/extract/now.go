package extract

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/indexes"
	"agentflow/app/lookup"
	"agentflow/executor/runfolder"
	"agentflow/internal/extract"
	"agentflow/internal/lists"
	"agentflow/memory"
)

// Request selects a run, or the entry of some turns of a session, for extraction.
type Request struct {
	Ref    string // an id, the end of an id, or "last"
	DryRun bool   // do not save the facts
}

// Result holds the facts that the model found.
type Result struct {
	ID       string // id of the run
	Facts    []api.Fact
	Refused  []RefusedFact
	CostUSD  float64
	Degraded []string
}

// RefusedFact is a fact that the model proposed and memory refused.
type RefusedFact struct{ Text, Why string }

// Extract asks the agent CLI of [extract] for lasting facts in the transcript of a run, and saves
// them. It does so even if extraction after runs is disabled. Errors are of KindNotFound (there is
// no entry, or the run's folder was removed for newer ones), KindUsage (it is no run) and
// KindUnavailable (the CLI does not answer).
func Extract(ctx context.Context, m *app.Memory, req Request) (res Result, err error) {
	o := m.Begin(ctx)
	defer o.End(&res.Degraded, &err)
	s, err := o.OpenRecovered(ctx)
	if err != nil {
		return res, err
	}
	item, err := lookup.Find(ctx, s, req.Ref, lookup.RunKinds...)
	if err != nil {
		return res, err
	}
	if item.Entry == nil || item.Fact != nil || !item.Entry.Kind.ByAgent() {
		return res, app.Usagef("%s is no run and no part of a session", req.Ref)
	}
	res.ID = item.ID
	a, err := askAbout(ctx, s, res.ID, 0)
	res.CostUSD = a.CostUSD
	switch {
	case errors.Is(err, runfolder.ErrNoFolder):
		return res, &app.Error{Kind: app.KindNotFound, Err: fmt.Errorf("reading what was said in %s: %w", memory.ShortID(res.ID), err)}
	case err != nil:
		return res, &app.Error{Kind: app.KindUnavailable, Err: fmt.Errorf("learning of %s: %w", memory.ShortID(res.ID), err),
			Hint: "the agent that [extract] names has to be on PATH and logged in"}
	case a.Text == "":
		return res, nil
	}
	learn := func(ctx context.Context, run extract.Run, shown []memory.Fact, answer string) (extract.Learnt, error) {
		return saveExtracted(ctx, s, run, shown, answer)
	}
	if req.DryRun {
		learn = func(ctx context.Context, run extract.Run, shown []memory.Fact, answer string) (extract.Learnt, error) {
			return wouldExtract(ctx, s, run, shown, answer)
		}
	}
	learnt, err := learn(ctx, a.run, a.shown, a.Text)
	if err != nil {
		return res, err
	}
	facts := slices.Concat(extraction{Learnt: learnt}.facts(), learnt.Global)
	res.Facts = api.NewFacts(facts)
	res.Refused = lists.Mapped(learnt.Refused, func(r extract.Refusal) RefusedFact {
		return RefusedFact{app.CleanLine(s.Redact.Text(r.Text)), app.CleanLine(s.Redact.Text(r.Why))}
	})
	if len(facts) > 0 && !req.DryRun {
		indexes.Reindex(ctx, s, "extract")
	}
	return res, nil
}

// wouldExtract finds what saveExtracted would save.
func wouldExtract(ctx context.Context, s *app.Repo, run extract.Run, shown []memory.Fact, answer string) (learnt extract.Learnt, err error) {
	files, err := s.Store.Snapshot(ctx)
	if err != nil {
		return learnt, err
	}
	return check(ctx, s, files, run, shown, answer)
}

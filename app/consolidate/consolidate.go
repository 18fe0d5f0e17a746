// Package consolidate carries out the plans that keep memory in order: Consolidate merges repeated facts, strikes
// and moves others and folds old files, and Upgrade writes entries of earlier versions in the current layout. The
// pure package consolidate makes the plan.
//
// Guarantees: a change is made whole or not at all. If memory is edited in the meantime, it is planned again. A dry
// run changes nothing. 'memory undo' takes a consolidation back. Facts that are probably outdated are only proposed,
// and a person decides. A model is asked only on request, within the cost limit of [extract]. If it fails, the plan
// continues without its answers.
//
// Not guaranteed: entries that Upgrade cannot convert without loss stay, and are counted.
package consolidate

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/extract"
	"agentflow/app/kept"
	"agentflow/app/propose"
	"agentflow/app/share"
	"agentflow/internal/consolidate"
	"agentflow/internal/lists"
	"agentflow/internal/plural"
	"agentflow/memory"
	"agentflow/writeback"
)

// Request selects the memory to consolidate and the options.
type Request struct {
	Namespace string    // empty: the repository's memory; global: the user's own
	Since     time.Time // skip groups of facts that are all older; zero: none
	AskModel  bool      // ask the agent CLI of [extract] about likely duplicates and contradictions
	DryRun    bool      // change nothing
}

// Result describes the changes, or the planned changes of a dry run.
type Result struct {
	api.Consolidation
	Files    int // files that change
	Degraded []string
}

// Consolidate plans over a snapshot of memory and makes the whole change or none. If memory is
// edited meanwhile, it plans again. It never prompts. Errors are of KindUsage, KindNoPlace,
// KindRefused (the user's own memory holds nothing yet) and KindLocked.
func Consolidate(ctx context.Context, m *app.Memory, req Request) (result Result, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	s, err := OpenWhole(ctx, o, req.Namespace, "consolidation")
	if err != nil {
		return result, err
	}
	c, r := s.Settings.Consolidate, s.Settings.Retention
	in := consolidate.Input{Now: time.Now(), Since: req.Since, Options: consolidate.Options{
		FoldAfter: c.FoldAfter, PromoteRuns: c.PromoteRuns, PromoteImportance: c.PromoteImportance,
		MaxFacts: r.MaxFacts, MaxAge: r.MaxAge, MinImportance: r.MinImportance,
	}}
	result.DryRun, result.Refused = req.DryRun, []string{}
	if req.AskModel {
		askAboutPossible(ctx, s, &in, &result)
	}
	plan, err := ConsolidateMemory(ctx, s, &in, req.DryRun, &result.Undo)
	if err != nil {
		return result, err
	}
	result.Files, result.Changed = len(plan.Edits), len(plan.Edits) > 0
	result.Forgotten, result.MorePossible, result.Diff = lists.Filled(plan.Forget), plan.More, diffOf(consolidate.Shown(in, plan))
	result.Actions, result.Possible = lists.Filled(plan.Actions), lists.Filled(plan.Possible)
	if !req.DryRun && !s.IsGlobal() {
		if result.Proposed, err = propose.ProposeRetirements(ctx, s, in.Now); err != nil {
			s.Degraded("consolidate", []string{err.Error()})
		}
	}
	return result, nil
}

// ConsolidateMemory plans over a snapshot, which it stores in in.Files, and makes the change unless
// dryRun is set. It sets undo to the id with which 'memory undo' takes the change back.
func ConsolidateMemory(ctx context.Context, s *app.Repo, in *consolidate.Input, dryRun bool, undo *string) (plan consolidate.Result, err error) {
	b := app.NewBar(s.Operation, "planning")
	in.Progress = func(files, of int) { b.Count("files", files, of) }
	err = s.Store.Revise(ctx, func(files map[string][]byte) (c writeback.Change, err error) {
		if in.Forgotten, err = s.Store.Barred(ctx); err != nil {
			return c, err
		}
		in.Files = files
		plan = consolidate.Plan(*in)
		if dryRun {
			return c, nil
		}
		title := "consolidation of " + in.Now.Format("2006-01-02 15:04")
		return writeback.Change{Command: "consolidate", Title: title, Edits: plan.Edits, Forget: plan.Forget, Kept: undo}, ctx.Err()
	})
	if b.End(); err == nil && !dryRun && len(plan.Edits) > 0 {
		share.FinishWrite(ctx, s, "consolidate")
	}
	return plan, err
}

func diffOf(edits []memory.FileEdit) string {
	var out bytes.Buffer
	for _, e := range edits {
		out.Write(kept.Unified(e.File, e.Before, e.After))
	}
	return strings.ToValidUTF8(out.String(), "\uFFFD")
}

// askAboutPossible asks the agent CLI that [extract] names about facts that may be duplicates or
// contradict each other. It adds the merges and strikes of valid answers to in. If a question
// fails, the plan continues without the remaining answers.
func askAboutPossible(ctx context.Context, s *app.Repo, in *consolidate.Input, result *Result) {
	plan, err := ConsolidateMemory(ctx, s, in, true, nil)
	if err != nil {
		return // the next plan returns the same error
	}
	batches := consolidate.Batches(*in, plan.Possible)
	if len(batches) > 0 {
		s.Say("asking about facts that may say the same or contradict each other")
	}
	for i, b := range batches {
		left := s.Settings.Extract.MaxCost - result.CostUSD
		if s.Settings.Extract.MaxCost > 0 && left <= 0 {
			s.Say("asked %d of %s: max_cost in [extract] is reached", i, plural.Count(len(batches), "question"))
			break
		}
		answer, err := extract.AskAgent(ctx, s, b.Question(s.Redact.Text), max(left, 0), consolidate.MaxTokens)
		result.CostUSD += answer.CostUSD
		var p consolidate.Proposal
		if err == nil {
			p, err = b.Check(answer.Text)
		}
		if err != nil {
			s.Degraded("consolidate", []string{fmt.Sprintf("asking a model about memory: %v; the plan is made without it", err)})
			break
		}
		in.Merges, in.Strikes = append(in.Merges, p.Merges...), append(in.Strikes, p.Strikes...)
		for _, line := range p.Refused {
			result.Refused = append(result.Refused, s.Redact.Text(line))
		}
	}
}

package app

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"agentflow/api"
	"agentflow/consolidate"
	"agentflow/internal/plural"
	"agentflow/memory"
	"agentflow/writeback"

	"github.com/rogpeppe/go-internal/diff"
)

// ConsolidateRequest selects the memory to consolidate and the options.
type ConsolidateRequest struct {
	Namespace string    // empty: the repository's memory; global: the user's own
	Since     time.Time // skip groups of facts that are all older; zero: none
	AskModel  bool      // ask the agent CLI of [extract] about likely duplicates and contradictions
	DryRun    bool      // change nothing
}

// ConsolidateResult describes the changes, or the planned changes of a dry run.
type ConsolidateResult struct {
	api.Consolidation
	Files    int // files that change
	Degraded []string
}

// Consolidate plans over a snapshot of memory and makes the whole change or none. If memory is
// edited meanwhile, it plans again. It never prompts. Errors are of KindUsage, KindNoPlace,
// KindRefused (the user's own memory holds nothing yet) and KindLocked.
func Consolidate(ctx context.Context, m *Memory, req ConsolidateRequest) (result ConsolidateResult, err error) {
	o := m.begin(ctx)
	defer o.end(&result.Degraded, &err)
	s, err := openWhole(ctx, o, req.Namespace, "consolidation")
	if err != nil {
		return result, err
	}
	c, r := s.settings.Consolidate, s.settings.Retention
	in := consolidate.Input{Now: time.Now(), Since: req.Since, Options: consolidate.Options{
		FoldAfter: c.FoldAfter, PromoteRuns: c.PromoteRuns, PromoteImportance: c.PromoteImportance,
		MaxFacts: r.MaxFacts, MaxAge: r.MaxAge, MinImportance: r.MinImportance,
	}}
	result.DryRun, result.Refused = req.DryRun, []string{}
	if req.AskModel {
		askAboutPossible(ctx, s, &in, &result)
	}
	plan, err := consolidateMemory(ctx, s, &in, req.DryRun, &result.Undo)
	if err != nil {
		return result, err
	}
	result.Files, result.Changed = len(plan.Edits), len(plan.Edits) > 0
	result.Forgotten, result.MorePossible, result.Diff = filled(plan.Forget), plan.More, diffOf(consolidate.Shown(in, plan))
	result.Actions, result.Possible = filled(plan.Actions), filled(plan.Possible)
	if !req.DryRun && !s.isGlobal() {
		if result.Proposed, err = proposeRetirements(ctx, s, in.Now); err != nil {
			s.degraded("consolidate", []string{err.Error()})
		}
	}
	return result, nil
}

// consolidateMemory plans over a snapshot, which it stores in in.Files, and makes the change unless
// dryRun is set. It sets undo to the id with which 'memory undo' takes the change back.
func consolidateMemory(ctx context.Context, s *openMemory, in *consolidate.Input, dryRun bool, undo *string) (plan consolidate.Result, err error) {
	b := newBar(s.operation, "planning")
	in.Progress = func(files, of int) { b.count("files", files, of) }
	err = s.store.Revise(ctx, func(files map[string][]byte) (c writeback.Change, err error) {
		if in.Forgotten, err = s.store.Barred(ctx); err != nil {
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
	if b.end(); err == nil && !dryRun && len(plan.Edits) > 0 {
		finishWrite(ctx, s, "consolidate")
	}
	return plan, err
}

func diffOf(edits []memory.FileEdit) string {
	var out bytes.Buffer
	for _, e := range edits {
		out.Write(unified(e.File, e.Before, e.After))
	}
	return strings.ToValidUTF8(out.String(), "\uFFFD")
}

// unified returns the unified diff of two texts of a file.
func unified(name string, before, after []byte) []byte {
	_, text, _ := bytes.Cut(diff.Diff("a/"+name, before, "b/"+name, after), []byte("\n")) // the first line names the command
	return text
}

// askAboutPossible asks the agent CLI that [extract] names about facts that may be duplicates or
// contradict each other. It adds the merges and strikes of valid answers to in. If a question
// fails, the plan continues without the remaining answers.
func askAboutPossible(ctx context.Context, s *openMemory, in *consolidate.Input, result *ConsolidateResult) {
	plan, err := consolidateMemory(ctx, s, in, true, nil)
	if err != nil {
		return // the next plan returns the same error
	}
	batches := consolidate.Batches(*in, plan.Possible)
	if len(batches) > 0 {
		s.say("asking about facts that may say the same or contradict each other")
	}
	for i, b := range batches {
		left := s.settings.Extract.MaxCost - result.CostUSD
		if s.settings.Extract.MaxCost > 0 && left <= 0 {
			s.say("asked %d of %s: max_cost in [extract] is reached", i, plural.Count(len(batches), "question"))
			break
		}
		answer, err := askAgent(ctx, s, b.Question(s.redact.Text), max(left, 0), consolidate.MaxTokens)
		result.CostUSD += answer.CostUSD
		var p consolidate.Proposal
		if err == nil {
			p, err = b.Check(answer.Text)
		}
		if err != nil {
			s.degraded("consolidate", []string{fmt.Sprintf("asking a model about memory: %v; the plan goes on without it", err)})
			break
		}
		in.Merges, in.Strikes = append(in.Merges, p.Merges...), append(in.Strikes, p.Strikes...)
		for _, line := range p.Refused {
			result.Refused = append(result.Refused, s.redact.Text(line))
		}
	}
}

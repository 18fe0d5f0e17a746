// Package recall makes the block of memory in front of a prompt.
//
// Gather gathers the parts for a task: hits that are likely useful, facts, notes and likely files, without those
// that the agent reads in its instruction files. Recaller calls it for runs, and package app/session for prompts of
// sessions. Package prompt makes the text. Recall returns the same block to people and agents, with reasons if they
// ask. Judge records that a hit was useless: it then ranks lower for similar tasks.
//
// Text that a person wrote by hand is redacted here, because it may be stored in a run's folder. If nothing is
// relevant, the block is empty, without an error. If the context has a deadline, the parts that are late are left
// out, and counted for doctor.
//
// Not guaranteed: that a hit is useful. Package index/rank computes the chance.
package recall

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/highlight"
	"agentflow/app/search"
	"agentflow/app/standing"
	"agentflow/executor"
	"agentflow/internal/gather"
	"agentflow/internal/lists"
	"agentflow/internal/plural"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/memory/retrieval"
	"agentflow/prompt"
)

// Request asks for the block of memory that a run of a task would get.
type Request struct {
	Task       string
	Filter     retrieval.Filter // as in search.SearchRequest, also for facts; recall.types and recall.min_importance replace empty fields
	Namespaces []string         // as in search.SearchRequest
	Top        int              // most entries; 0 or less means the setting recall.top
	Budget     int              // tokens for the block; 0 or less means the setting recall.budget
	MaxBudget  int              // upper bound of the budget, also of one from the settings; 0: no bound
	Explain    bool             // report the reason and the tokens for each fact and entry
}

// Result is the block of memory for a task.
type Result struct {
	api.Recall
	Highlight highlight.Highlighter // of the task in the entries
	Worth     []float64             // for each fact: its weight relative to the others
	Evidence  float64               // highest evidence that any fact of MEMORY.md has for the task
	Budget    int                   // limit of the block, in tokens
	Standing  int                   // tokens of the budget that facts and notes may use
	MoreFacts int                   // number of facts that did not fit
	Shortened bool                  // more items match the task than fit in Budget
	TooSmall  bool                  // the block is empty because no matching item fits in Budget
	Degraded  []string              // failures that did not stop the operation, one per line; never nil
}

// Recall makes the block of memory that a run would put in front of a task. If nothing is relevant, the block is empty,
// without an error.
func Recall(ctx context.Context, m *app.Memory, req Request) (res Result, err error) {
	o := m.Begin(ctx)
	defer o.End(&res.Degraded, &err)
	defer o.OrNothing(&err)
	res.Recall = Object(prompt.Output{}, req.Explain)
	s, q, err := search.Question(ctx, o, req.Task, req.Filter, req.Namespaces)
	if err != nil {
		return res, err
	}
	limits := Limits(s)
	limits.Top, limits.Budget = cmp.Or(max(req.Top, 0), limits.Top), cmp.Or(max(req.Budget, 0), limits.Budget)
	if req.MaxBudget > 0 {
		limits.Budget = min(limits.Budget, req.MaxBudget)
	}
	res.Budget = limits.Budget
	q.Limit, q.Gate = limits.Top, true
	found, err := Gather(ctx, s, q, s.Settings.Agent)
	s.Degraded("recall", found.Degraded)
	if err != nil {
		return res, err
	}
	in := prompt.Input{Task: req.Task, Known: found.Known, Limits: limits, Now: time.Now()}
	out := prompt.Build(in)
	for _, f := range found.Facts {
		res.Evidence = max(res.Evidence, f.Evidence)
	}
	res.Standing = prompt.Standing(in)
	res.Worth = lists.Mapped(slices.Concat(out.Facts, out.Notes), func(f prompt.Fact) float64 { return f.Worth(res.Evidence) })
	res.Highlight = highlight.NewHighlighter(req.Task, out.Used)
	res.Recall = Object(out, req.Explain)
	res.Read = ReadFacts(found.Read, req.Explain)
	in.Budget = math.MaxInt32
	roomy := prompt.Build(in)
	res.TooSmall, res.MoreFacts = out.Block == "" && roomy.Block != "", len(roomy.Facts)-len(out.Facts)
	res.Shortened = out.Block != roomy.Block
	if !req.Explain {
		return res, nil
	}
	for _, h := range found.Hits {
		switch {
		case Holds(out.Used, h):
		case h.Undone:
			res.Unused = append(res.Unused, UnusedHit(h, "its run was taken back"))
		case Holds(roomy.Used, h):
			res.Unused = append(res.Unused, UnusedHit(h, fmt.Sprintf("it does not fit in %s", plural.Count(max(res.Budget, 0), "token"))))
		case len(roomy.Used) == max(limits.Top, 0):
			res.Unused = append(res.Unused, UnusedHit(h, fmt.Sprintf("only the best %d go in", len(roomy.Used))))
		default:
			res.Unused = append(res.Unused, UnusedHit(h, "a fact of the block says the same"))
		}
	}
	for _, r := range found.ReadHits {
		res.Unused = append(res.Unused, UnusedHit(r.Hit, r.File+" says it"))
		found.Hits = append(found.Hits, r.Hit)
	}
	return res, addLeftOut(ctx, s, q, found.Hits, &res)
}

// ReadFacts lists the facts that an agent reads in its instruction files.
func ReadFacts(read []executor.ReadFact, wanted bool) (list []api.ReadFact) {
	if !wanted {
		return nil
	}
	for _, r := range read {
		list = append(list, api.ReadFact{Fact: RecalledFacts([]prompt.Fact{r.Fact}, nil)[0], Why: r.File + " says it"})
	}
	return list
}

// UnusedHit describes a hit that a block leaves out.
func UnusedHit(h retrieval.Hit, why string) api.UnusedHit {
	return api.UnusedHit{Hit: markdown.NamedHit(h), Why: why}
}

// maxLeftOut bounds the listed hits that the gate leaves out.
const maxLeftOut = 5

// addLeftOut adds the best hits that a search would show but that are too little related to the task for a prompt.
func addLeftOut(ctx context.Context, s *app.Repo, q retrieval.Query, passed []retrieval.Hit, res *Result) error {
	q.Gate, q.Own, q.Limit = false, true, len(passed)+maxLeftOut
	q.Filter = PromptFilter(s, q.Filter)
	hits, degraded, err := search.Find(ctx, s, q)
	s.Degraded("recall", degraded)
	more := slices.DeleteFunc(hits, func(h retrieval.Hit) bool { return Holds(passed, h) })
	for _, h := range more[:min(len(more), maxLeftOut)] {
		why := "no word of it says much about the task"
		if h.Explain != nil && h.Explain.Evidence > 0 {
			why = whyLeftOut(s, h.Explain, len(passed) > 0)
		}
		if h.Kind == "" { // hand-written, so redacted as in recall
			h.Text = s.Redact.Text(h.Text)
		}
		res.Unused = append(res.Unused, UnusedHit(h, why))
	}
	return err
}

// whyLeftOut explains why a hit that shares words with the task is not shown. others reports whether other hits are
// shown.
func whyLeftOut(s *app.Repo, e *retrieval.Explain, others bool) string {
	switch gate := s.Settings.Recall.Gate; {
	case e.Known < gate:
		return fmt.Sprintf("memory holds too little about this task (chance %.3f; recall.gate is %.3f)", e.Known, gate)
	case others:
		return fmt.Sprintf("it is less likely to help than the entries shown, or adds too little to them (chance %.3f)", e.Chance)
	}
	return fmt.Sprintf("it is too unlikely to help (chance %.3f)", e.Chance)
}

// Holds reports whether hits contain one, by its place.
func Holds(hits []retrieval.Hit, one retrieval.Hit) bool {
	return slices.ContainsFunc(hits, func(h retrieval.Hit) bool { return h.Path == one.Path && h.StartLine == one.StartLine })
}

// Object converts a block to a JSON object, with the reasons if explain is true.
func Object(out prompt.Output, explain bool) api.Recall {
	if !explain {
		search.DropExplain(out.Used)
		search.DropParts(out.Files)
	}
	o := api.Recall{Block: out.Block, Tokens: out.Tokens, Facts: RecalledFacts(out.Facts, out.Notes), Hits: search.NamedHits(out.Used), Files: lists.Filled(out.Files)}
	if !explain {
		return o
	}
	for i, f := range slices.Concat(out.Facts, out.Notes) {
		o.Facts[i].Evidence = &f.Evidence
		if f.Standing {
			o.Facts[i].Chance = &f.Chance
		}
	}
	n := len(o.Facts)
	o.Costs = &api.RecallCosts{Facts: lists.Filled(out.Costs[:n]), Hits: lists.Filled(out.Costs[n:]), Frame: out.Tokens}
	for _, tokens := range out.Costs {
		o.Costs.Frame -= tokens
	}
	return o
}

// RecalledFacts converts facts, and then notes, to JSON objects.
func RecalledFacts(facts, notes []prompt.Fact) []api.RecalledFact {
	list := []api.RecalledFact{}
	for i, f := range slices.Concat(facts, notes) {
		o := api.RecalledFact{ID: f.ID, Path: f.Path, Line: f.Line, Namespace: f.Namespace, Type: string(f.Type), Importance: f.Importance,
			Tags: lists.Filled(f.Tags), Pinned: f.Pinned(), Standing: f.Standing, Author: f.Author, From: f.From, For: f.For, Text: strings.TrimSpace(f.Whole())}
		if i >= len(facts) {
			o.Day = f.Created.Format(time.DateOnly)
		}
		list = append(list, o)
	}
	return list
}

// Gather gathers the parts of a prompt for a task, except those that its agent reads in instruction files. It redacts
// hand-written text, which may be stored in a run's folder. Text that agentflow recorded was redacted at that time.
func Gather(ctx context.Context, s *app.Repo, q retrieval.Query, agent string) (executor.Known, error) {
	q.Own, q.Task, q.Sure, q.Files = true, true, true, promptFiles
	q.Filter = PromptFilter(s, q.Filter)
	found, err := search.AskAll(ctx, s, q, true)
	CountLate(s, found.Late)
	found.Hits = slices.DeleteFunc(found.Hits, onlyHeadings)
	if prompt.OnlyCommits(q.Text) {
		found.Files, found.Hits = nil, slices.DeleteFunc(found.Hits, func(h retrieval.Hit) bool { return h.Kind != "" })
	}
	finish(s, agent, &found)
	return found, err
}

// GatherStart gathers the parts of the start of a session, which do not depend on a task. It leaves out and redacts as
// Gather does.
func GatherStart(ctx context.Context, s *app.Repo, agent string, now time.Time) (found executor.Known) {
	global, err := s.OpenGlobal(ctx, false)
	found.Degraded = app.AppendError(nil, err)
	g, end := gather.New(ctx)
	defer end()
	standing.BeginFacts(ctx, s, g, global, now).AddTo(&found, PromptFilter(s, retrieval.Filter{}))
	search.SetScope(s, &found)
	finish(s, agent, &found)
	found.Late = g.Late
	return found
}

// finish redacts hand-written text, and removes the text that the agent reads in instruction files.
func finish(s *app.Repo, agent string, found *executor.Known) {
	for i := range found.Hits {
		if found.Hits[i].Kind == "" {
			found.Hits[i].Text = s.Redact.Text(found.Hits[i].Text)
		}
	}
	for i := range found.Facts {
		found.Facts[i].Fact = found.Facts[i].Redacted(s.Redact.Text)
	}
	standing.LeaveOutRead(s, agent, found)
}

// onlyHeadings reports whether a hit in hand-written text has no text but headings: its facts are hits of their own.
func onlyHeadings(h retrieval.Hit) bool {
	if h.Kind != "" {
		return false
	}
	for line := range strings.Lines(h.Text) {
		if text := strings.TrimSpace(line); text != "" && !strings.HasPrefix(strings.TrimLeft(text, "#"), " ") {
			return false
		}
	}
	return true
}

// Limits returns the settings' limits for the block of memory in front of a task.
func Limits(s *app.Repo) prompt.Limits {
	c := s.Settings.Recall
	return prompt.Limits{Top: cmp.Or(c.Top, None), Budget: cmp.Or(c.Budget, None), Standing: c.Standing, Format: prompt.Format(s.Settings.Prompt.Format)}
}

// PromptFilter completes a filter for a prompt: the settings supply missing types and a missing minimum importance.
func PromptFilter(s *app.Repo, f retrieval.Filter) retrieval.Filter {
	set := s.Settings.Recall
	if len(f.Types) == 0 {
		f.Types = lists.Mapped(set.Types, func(t string) memory.FactType { return memory.FactType(t) })
	}
	f.MinImportance = cmp.Or(f.MinImportance, set.MinImportance)
	return f
}

// promptFiles limits the likely files in a prompt.
const promptFiles = 10

// None replaces a setting of 0 for packages prompt and executor, where 0 means the default. As a number of entries or
// tokens it admits none, and as a time it is no limit.
const None = -1

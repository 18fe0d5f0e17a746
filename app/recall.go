package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/api"
	"agentflow/executor"
	"agentflow/internal/plural"
	"agentflow/internal/repofile"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/prompt"
)

// RecallRequest asks for the block of memory that a run of a task would get.
type RecallRequest struct {
	Task       string
	Filter     memory.Filter // as in SearchRequest, also for facts; recall.types and recall.min_importance replace empty fields
	Namespaces []string      // as in SearchRequest
	Top        int           // most entries; 0 or less means the setting recall.top
	Budget     int           // tokens for the block; 0 or less means the setting recall.budget
	MaxBudget  int           // upper bound of the budget, also of one from the settings; 0: no bound
	Explain    bool          // report the reason and the tokens for each fact and entry
}

// RecallResult is the block of memory for a task.
type RecallResult struct {
	api.Recall
	Highlight Highlighter // of the task in the entries
	Worth     []float64   // for each fact: its weight relative to the others
	Evidence  float64     // highest evidence that any fact of MEMORY.md has for the task
	Budget    int         // limit of the block, in tokens
	Standing  int         // tokens of the budget that facts and notes may use
	MoreFacts int         // number of facts that did not fit
	Shortened bool        // more items match the task than fit in Budget
	TooSmall  bool        // the block is empty because no matching item fits in Budget
	Degraded  []string    // failures that did not stop the operation, one per line; never nil
}

// Recall makes the block of memory that a run would put in front of a task. If nothing is relevant, the block is empty,
// without an error.
func Recall(ctx context.Context, m *Memory, req RecallRequest) (res RecallResult, err error) {
	o := m.begin(ctx)
	defer o.end(&res.Degraded, &err)
	defer o.orNothing(&err)
	res.Recall = recallObject(prompt.Output{}, req.Explain)
	s, q, err := question(ctx, o, req.Task, req.Filter, req.Namespaces)
	if err != nil {
		return res, err
	}
	set := s.settings
	top := cmp.Or(max(req.Top, 0), set.Recall.Top, none)
	res.Budget = cmp.Or(max(req.Budget, 0), set.Recall.Budget, none)
	if req.MaxBudget > 0 {
		res.Budget = min(res.Budget, req.MaxBudget)
	}
	q.Limit, q.Gate = top, true
	found, err := recall(ctx, s, q, s.settings.Agent)
	s.degraded("recall", found.Degraded)
	if err != nil {
		return res, err
	}
	in := prompt.Input{Task: req.Task, Folder: found.Folder, Hits: found.Hits, Budget: res.Budget, Top: top, Facts: found.Facts, Standing: set.Recall.Standing,
		Files: found.Files, Notes: found.Notes, Format: prompt.Format(set.Prompt.Format), Now: time.Now(), Namespaces: found.Namespaces}
	out := prompt.Build(in)
	for _, f := range found.Facts {
		res.Evidence = max(res.Evidence, f.Evidence)
	}
	res.Standing = prompt.Standing(in)
	res.Worth = mapped(slices.Concat(out.Facts, out.Notes), func(f prompt.Fact) float64 { return f.Worth(res.Evidence) })
	res.Highlight = highlighter(req.Task, out.Used)
	res.Recall = recallObject(out, req.Explain)
	res.Read = readFacts(found.Read, req.Explain)
	in.Budget = math.MaxInt32
	roomy := prompt.Build(in)
	res.TooSmall, res.MoreFacts = out.Block == "" && roomy.Block != "", len(roomy.Facts)-len(out.Facts)
	res.Shortened = out.Block != roomy.Block
	if !req.Explain {
		return res, nil
	}
	for _, h := range found.Hits {
		switch {
		case holds(out.Used, h):
		case h.Undone:
			res.Unused = append(res.Unused, unusedHit(h, "its run was taken back"))
		case holds(roomy.Used, h):
			res.Unused = append(res.Unused, unusedHit(h, fmt.Sprintf("it does not fit in %s", plural.Count(max(res.Budget, 0), "token"))))
		case len(roomy.Used) == max(cmp.Or(top, prompt.DefaultTop), 0):
			res.Unused = append(res.Unused, unusedHit(h, fmt.Sprintf("only the best %d go in", len(roomy.Used))))
		default:
			res.Unused = append(res.Unused, unusedHit(h, "a fact of the block says the same"))
		}
	}
	for _, r := range found.ReadHits {
		res.Unused = append(res.Unused, unusedHit(r.Hit, r.File+" says it"))
		found.Hits = append(found.Hits, r.Hit)
	}
	return res, addLeftOut(ctx, s, q, found.Hits, &res)
}

// readFacts lists the facts that an agent reads in its instruction files.
func readFacts(read []executor.ReadFact, wanted bool) (list []api.ReadFact) {
	if !wanted {
		return nil
	}
	for _, r := range read {
		list = append(list, api.ReadFact{Fact: recalledFacts([]prompt.Fact{r.Fact}, nil)[0], Why: r.File + " says it"})
	}
	return list
}

// unusedHit describes a hit that a block leaves out.
func unusedHit(h memory.Hit, why string) api.UnusedHit {
	return api.UnusedHit{Hit: markdown.NamedHit(h), Why: why}
}

// maxLeftOut bounds the listed hits that the gate leaves out.
const maxLeftOut = 5

// addLeftOut adds the best hits that a search would show but that are too little related to the task for a prompt.
func addLeftOut(ctx context.Context, s *openMemory, q memory.Query, passed []memory.Hit, res *RecallResult) error {
	q.Gate, q.Own, q.Limit = false, true, len(passed)+maxLeftOut
	q.Filter = promptFilter(s, q.Filter)
	hits, degraded, err := search(ctx, s, q)
	s.degraded("recall", degraded)
	more := slices.DeleteFunc(hits, func(h memory.Hit) bool { return holds(passed, h) })
	for _, h := range more[:min(len(more), maxLeftOut)] {
		why := "no word of it says much about the task"
		if h.Explain != nil && h.Explain.Evidence > 0 {
			why = whyLeftOut(s, h.Explain, len(passed) > 0)
		}
		if h.Kind == "" { // hand-written, so redacted as in recall
			h.Text = s.redact.Text(h.Text)
		}
		res.Unused = append(res.Unused, unusedHit(h, why))
	}
	return err
}

// whyLeftOut explains why a hit that shares words with the task is not shown. others reports whether other hits are
// shown.
func whyLeftOut(s *openMemory, e *memory.Explain, others bool) string {
	switch gate := s.settings.Recall.Gate; {
	case e.Known < gate:
		return fmt.Sprintf("memory holds too little about this task (chance %.3f; recall.gate is %.3f)", e.Known, gate)
	case others:
		return fmt.Sprintf("it is less likely to help than the entries shown, or adds too little to them (chance %.3f)", e.Chance)
	}
	return fmt.Sprintf("it is too unlikely to help (chance %.3f)", e.Chance)
}

func holds(hits []memory.Hit, one memory.Hit) bool {
	return slices.ContainsFunc(hits, func(h memory.Hit) bool { return h.Path == one.Path && h.StartLine == one.StartLine })
}

func recallObject(out prompt.Output, explain bool) api.Recall {
	if !explain {
		dropExplain(out.Used)
		dropParts(out.Files)
	}
	o := api.Recall{Block: out.Block, Tokens: out.Tokens, Facts: recalledFacts(out.Facts, out.Notes), Hits: namedHits(out.Used), Files: filled(out.Files)}
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
	o.Costs = &api.RecallCosts{Facts: filled(out.Costs[:n]), Hits: filled(out.Costs[n:]), Frame: out.Tokens}
	for _, tokens := range out.Costs {
		o.Costs.Frame -= tokens
	}
	return o
}

// recalledFacts converts facts, and then notes, to JSON objects.
func recalledFacts(facts, notes []prompt.Fact) []api.RecalledFact {
	list := []api.RecalledFact{}
	for i, f := range slices.Concat(facts, notes) {
		o := api.RecalledFact{ID: f.ID, Path: f.Path, Line: f.Line, Namespace: f.Namespace, Type: string(f.Type), Importance: f.Importance,
			Tags: filled(f.Tags), Pinned: f.Pinned(), Standing: f.Standing, Author: f.Author, From: f.From, For: f.For, Text: strings.TrimSpace(f.Whole())}
		if i >= len(facts) {
			o.Day = f.Created.Format(time.DateOnly)
		}
		list = append(list, o)
	}
	return list
}

// recall gathers the parts of a prompt for a task, except those that its agent reads in instruction files. It redacts
// hand-written text, which may be stored in a run's folder. Text that agentflow recorded was redacted at that time.
func recall(ctx context.Context, s *openMemory, q memory.Query, agent string) (executor.Known, error) {
	q.Own, q.Task, q.Sure, q.Files = true, true, true, promptFiles
	q.Filter = promptFilter(s, q.Filter)
	found, err := gatherKnown(ctx, s, q, true)
	countLate(s, found.Late)
	for i := range found.Hits {
		if found.Hits[i].Kind == "" {
			found.Hits[i].Text = s.redact.Text(found.Hits[i].Text)
		}
	}
	for i := range found.Facts {
		found.Facts[i].Fact = found.Facts[i].Redacted(s.redact.Text)
	}
	leaveOutRead(s, agent, &found)
	return found, err
}

// promptFilter completes a filter for a prompt: the settings supply missing types and a missing minimum importance.
func promptFilter(s *openMemory, f memory.Filter) memory.Filter {
	set := s.settings.Recall
	if len(f.Types) == 0 {
		f.Types = mapped(set.Types, func(t string) memory.FactType { return memory.FactType(t) })
	}
	f.MinImportance = cmp.Or(f.MinImportance, set.MinImportance)
	return f
}

// wantedFacts returns the facts that such a filter admits to a prompt. A fact without a type counts as semantic. A
// pinned fact is always admitted if it is of the filter's namespace.
func wantedFacts(facts []prompt.Fact, f memory.Filter) []prompt.Fact {
	return slices.DeleteFunc(facts, func(k prompt.Fact) bool {
		typed := len(f.Types) == 0 || slices.Contains(f.Types, cmp.Or(k.Type, memory.Semantic))
		if f.Namespace != "" && k.Namespace != f.Namespace {
			return true
		}
		return !k.Pinned() && !(typed && cmp.Or(k.Importance, memory.PlainImportance) >= f.MinImportance)
	})
}

// promptFiles is the largest number of likely files in a prompt.
const promptFiles = 10

// maxMemoryFileRecalled is the part of MEMORY.md that is read for a prompt, in bytes. It is far more than agents load
// of such a file.
const maxMemoryFileRecalled = 1 << 20

// memoryFileFacts returns the facts of MEMORY.md, including those that people wrote there. It returns none if there is
// no such file, or if the file came with the repository.
func memoryFileFacts(ctx context.Context, s *openMemory) ([]prompt.Fact, error) {
	if untrustedPart(ctx, s).file("memory/" + memory.LastingFile) {
		return nil, nil
	}
	return lastingFacts(filepath.Join(s.Memory(), memory.LastingFile), "memory/"+memory.LastingFile)
}

// lastingFacts returns the facts of a MEMORY.md at path. Hits use name for the file.
func lastingFacts(path, name string) ([]prompt.Fact, error) {
	src, err := readBeginning(path, maxMemoryFileRecalled)
	if repofile.IsAbsent(err) || errors.Is(err, repofile.ErrNotRegular) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the facts of %s: %w", memory.LastingFile, err)
	}
	var facts []prompt.Fact
	for _, n := range markdown.Parse(src).Notes(memory.LastingFile) {
		if n.Fact != nil || !n.Leads {
			facts = append(facts, prompt.Fact{Fact: n.AsFact(), Path: name, Line: n.StartLine})
		}
	}
	return facts, nil
}

// readBeginning reads the first bytes of a file. It refuses links, which the index does not follow either.
func readBeginning(name string, most int64) ([]byte, error) {
	f, err := repofile.Open(name, repofile.NoLink)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

// asGlobal marks facts of the user's own memory as global, so that people need not write that in each of them.
func asGlobal(facts []prompt.Fact) []prompt.Fact {
	for i := range facts {
		facts[i].Path = memory.GlobalLabel + facts[i].Path
		facts[i].Namespace = memory.GlobalNamespace
	}
	return facts
}

// none replaces a setting of 0 for packages prompt and executor, where 0 means the default. As a number of entries or
// tokens it admits none, and as a time it is no limit.
const none = -1

// Package list answers questions that list memory: facts (List, Contradictions), runs and sessions (Log, LogPages),
// one entry or fact (Show), the changes of a run (Diff), its messages and tool calls (Transcript), files and
// passages of memory (MemoryFiles, Passage), and figures (Stats, Trends).
//
// It changes no memory. Show and Passage count as uses. Lists are in a total order. They continue at an app.Cursor,
// so items that are added or removed in the meantime do not change which items follow. A list of any length holds
// only a few pages in memory (LogPages). A passage contains no secret and no control character, because models read
// it. A name of a file never leads out of the memory folder.
//
// Not guaranteed: a transcript exists only as long as the run's folder or the agent's own file.
package list

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/fact"
	"agentflow/app/lookup"
	"agentflow/app/share"
	appstanding "agentflow/app/standing"
	"agentflow/internal/lists"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/memory/retrieval"
)

// Request selects facts. Each field narrows the list, and an empty field selects all facts.
type Request struct {
	Words         []string // a fact's text has all of them, in upper or lower case
	Type          memory.FactType
	Tags          []string // a fact has all of them
	Key           string
	Category      string
	Source        string    // hand, the id of a run or the end of one, or the source of an import
	Namespace     string    // project, branch (the current one), branch/NAME, run/ID, team or global
	Since, Until  time.Time // of the fact: Since inclusive, Until exclusive
	MinImportance float64   // 0 to 1
	State         FactState
	Sort          fact.Order
	Reverse       bool
	Offset, Limit int    // one page: skip Offset facts, then list at most Limit; 0 lists all
	Cursor        string // the Next of a list in the same order: continue after it; replaces Offset
	Shared        bool   // also list facts that others share
	Author        string // only facts that this person shares, or stored through a team's server; empty: all
}

// check returns an error for a type or importance that no fact has.
func (req Request) check() error {
	f := retrieval.Filter{MinImportance: req.MinImportance}
	if req.Type != "" {
		f.Types = []memory.FactType{req.Type}
	}
	return f.Check()
}

// FactState selects facts by state.
type FactState string

// The states of facts.
const (
	LiveFacts    FactState = ""
	StruckFacts  FactState = "struck"
	ExpiredFacts FactState = "expired"
	AllFacts     FactState = "all"
)

// Result is one page of facts.
type Result struct {
	Facts    []api.Fact // never nil
	Total    int        // number of facts on all pages
	Next     string     // the Cursor of the next page; empty on the last page
	Degraded []string   // failures that did not stop the operation, one per line; never nil
}

// List lists facts of the repository and of the user's own memory.
func List(ctx context.Context, m *app.Memory, req Request) (res Result, err error) {
	o := m.Begin(ctx)
	defer o.End(&res.Degraded, &err)
	defer o.OrNothing(&err)
	res.Facts = []api.Fact{}
	req.Sort = cmp.Or(req.Sort, FactOrders[0])
	switch {
	case fact.Orders[req.Sort] == nil:
		return res, app.Usagef("facts cannot be sorted by %q", req.Sort)
	case req.Offset < 0 || req.Limit < 0:
		return res, app.Usagef("the offset and the limit of a list are at least 0")
	case req.Offset > 0 && req.Cursor != "":
		return res, app.Usagef("a list begins at an offset or behind a cursor, not at both")
	}
	behind, err := req.behind()
	if err != nil {
		return res, err
	}
	list, err := chosenFacts(ctx, o, &req)
	if err != nil {
		return res, err
	}
	if req.Sort == "uses" {
		if s, err := o.OpenOrGlobal(ctx, o.OpenToRead); err == nil { // the facts were read already
			lookup.WithUses(list, lookup.UseCounts(ctx, s))
		}
	}
	fact.SortFacts(list, req.Sort, req.Reverse)
	res.Total = len(list)
	if behind != nil {
		req.Offset = behind(list)
	}
	list = list[min(req.Offset, len(list)):]
	if req.Limit > 0 && req.Limit < len(list) {
		list = list[:req.Limit]
		res.Next = req.cursorOf(list[req.Limit-1]).String()
	}
	res.Facts = lists.Mapped(list, (*lookup.StoredFact).Object)
	return res, nil
}

// chosenFacts returns the facts that a request selects, from the repository and from the user's own memory on all
// machines that share it. With Shared or Author, or in the team's namespace, it includes facts that others share. It
// completes the namespace of the request.
func chosenFacts(ctx context.Context, o *app.Operation, req *Request) ([]*lookup.StoredFact, error) {
	if err := req.check(); err != nil {
		return nil, app.Usagef("%v", err)
	}
	every := req.Namespace == ""
	if !every {
		ns, err := lookup.ParseNamespace(req.Namespace)
		if err != nil {
			return nil, app.Usagef("namespace: %w", err)
		}
		req.Namespace = ns
	}
	var list []*lookup.StoredFact
	if every || req.Namespace != memory.GlobalNamespace {
		s, err := o.OpenToRead(ctx)
		if err != nil {
			return nil, err
		}
		if req.Namespace == memory.BranchNamespace {
			if req.Namespace, err = lookup.Completed(ctx, s, req.Namespace); err != nil {
				return nil, err
			}
		}
		if list, err = listed(ctx, s); err != nil {
			return nil, err
		}
		everybodys := lookup.WithShared(s, req.Shared || req.Author != "")
		if everybodys || req.Namespace == memory.TeamNamespace { // also those that others share
			list = append(list, lookup.SharedFacts(ctx, s, func(k *lookup.StoredFact) bool { return everybodys || k.Namespace == memory.TeamNamespace })...)
		}
	}
	if every || req.Namespace == memory.GlobalNamespace {
		global, err := o.OpenGlobal(ctx, false)
		if err != nil {
			return nil, err
		}
		if global != nil {
			more, err := listed(ctx, global)
			if err != nil {
				return nil, err
			}
			list = append(append(list, more...), lookup.SharedFacts(ctx, global, func(*lookup.StoredFact) bool { return true })...)
		}
	}
	if req.Author != "" {
		list = lookup.OfPerson(list, req.Author)
	}
	now, words := time.Now(), strings.Fields(strings.ToLower(strings.Join(req.Words, " ")))
	return slices.DeleteFunc(list, func(k *lookup.StoredFact) bool {
		return !req.State.includes(k, now) || !req.accepts(k) || !every && !inNamespace(k.Namespace, req.Namespace) || len(words) > 0 && !hasWords(k.Whole(), words)
	}), nil
}

// listed returns the facts of this memory, and the notes that people wrote by hand into MEMORY.md. Those count as facts
// in every prompt, and have no ids.
func listed(ctx context.Context, s *app.Repo) (list []*lookup.StoredFact, err error) {
	byHand, err := appstanding.MemoryFileFacts(ctx, s)
	if err != nil {
		s.Warn("%v", err)
	}
	if list, err = lookup.Facts(ctx, s); err != nil {
		return nil, err
	}
	for _, f := range byHand {
		if f.ID == "" {
			list = append(list, lookup.FactAt(s, lookup.StoredBlock{File: f.Path}, markdown.FactAt{Fact: f.Fact, StartLine: f.Line}))
		}
	}
	return list, nil
}

func (state FactState) includes(k *lookup.StoredFact, now time.Time) bool {
	switch state {
	case LiveFacts:
		return k.Live(now)
	case StruckFacts:
		return k.Struck
	case ExpiredFacts:
		return !k.Struck && !k.Live(now)
	}
	return true
}

// accepts reports whether a fact matches the request in everything except words, state and namespace.
func (req *Request) accepts(k *lookup.StoredFact) bool {
	is := func(want, have string) bool { return want == "" || want == have }
	at := k.CreatedAt()
	return is(string(req.Type), string(k.Type)) && is(req.Key, k.Key) && is(req.Category, k.Category) &&
		k.HasTags(req.Tags) &&
		(is(req.Source, k.Source) || len(k.Source) == lookup.FullID && share.EndsID(k.Source, req.Source)) &&
		k.Importance >= req.MinImportance && !at.Before(req.Since) && (req.Until.IsZero() || at.Before(req.Until))
}

func hasWords(text string, words []string) bool {
	text = strings.ToLower(text)
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
}

// inNamespace reports whether a fact's namespace is the wanted one. A wanted run may be the end of its id.
func inNamespace(have, want string) bool {
	run, ofRun := strings.CutPrefix(have, memory.RunNamespace)
	typed, asked := strings.CutPrefix(want, memory.RunNamespace)
	return have == want || ofRun && asked && len(run) == lookup.FullID && share.EndsID(run, typed)
}

// CheckNamespace returns an error if text is not a namespace.
func CheckNamespace(text string) error {
	_, err := lookup.ParseNamespace(text)
	if err != nil {
		return app.Usagef("%w", err)
	}
	return nil
}

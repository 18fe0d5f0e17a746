package forget

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/fact"
	"agentflow/app/highlight"
	"agentflow/app/lookup"
	"agentflow/app/purge"
	"agentflow/app/search"
	"agentflow/index"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/memory/retrieval"
)

type forgetChoice struct {
	Request
	namespace *string // nil: all namespaces
	single    bool    // facts are chosen, not entries
	answer    *answer // the answer to Query
}

func openToForget(ctx context.Context, o *app.Operation, req Request) (s *app.Repo, c forgetChoice, err error) {
	c = forgetChoice{Request: req, single: len(req.Tags) > 0 || req.Type != "" || req.Namespace != ""}
	c.Limit = cmp.Or(req.Limit, 10)
	switch {
	case req.chooses() && len(req.IDs) > 0:
		err = app.Usagef("give ids, or choose by query, tag, age and namespace: not both")
	case !req.chooses() && req.Type != "":
		err = &app.Error{Kind: app.KindUsage, Err: errors.New("a type narrows a choice"), Hint: "choose by query, tag, age or namespace: add --query, --tag, --before or --namespace"}
	case !req.chooses() && len(req.IDs) == 0:
		err = app.Usagef("nothing says what to forget")
	case c.Limit < 1:
		err = app.Usagef("the limit is at least 1, have %d", c.Limit)
	case req.Type != "" && !req.Type.Known():
		err = app.Usagef("type: %w", fact.CheckType(req.Type, time.Time{}))
	default:
		s, c.namespace, err = lookup.OpenNamespace(ctx, o, req.Namespace, o.OpenRecovered, false)
	}
	return s, c, err
}

// choose lists the chosen items, best answers first. pinned counts the pinned items that also match and stay.
func choose(ctx context.Context, s *app.Repo, c forgetChoice) (targets []purge.ForgetTarget, pinned int, err error) {
	if c.Query != "" {
		if c.answer, err = findAnswer(ctx, s, c); err != nil {
			return nil, 0, err
		}
	}
	var stay []string
	for b := range lookup.ReadableBlocks(s) {
		if b.File != lookup.Feedback {
			list, more := chosenOf(s, b, c)
			targets, stay = append(targets, list...), append(stay, more...)
		}
	}
	fits := c.answer.best()
	targets = slices.DeleteFunc(targets, func(t purge.ForgetTarget) bool { return !fits(t.ID) })
	pinned = len(slices.DeleteFunc(stay, func(id string) bool { return !fits(id) }))
	slices.SortStableFunc(targets, func(a, b purge.ForgetTarget) int { return cmp.Compare(b.RankScore, a.RankScore) })
	return targets, pinned, nil
}

// chosenOf returns the chosen items of a block, the whole entry or facts, and the ids of pinned ones, which stay.
func chosenOf(s *app.Repo, b lookup.StoredBlock, c forgetChoice) (list []purge.ForgetTarget, pinned []string) {
	if b.Entry != nil && !c.single {
		hit, found := c.answer.entry(b)
		switch {
		case !found || b.Entry.ID == "" || !c.old(b.Entry.Time):
			return nil, nil
		}
		item := lookup.StoredItem{StoredBlock: b, ID: b.Entry.ID}
		if b.Entry.Kind == memory.KindNote && len(b.Facts) == 1 && b.Facts[0].ID != "" { // people know it by the id of the fact
			item.ID, item.Fact = b.Facts[0].ID, &b.Facts[0].Fact
		}
		c.answer.count(item.ID, string(b.Raw))
		if b.Entry.Pinned || slices.ContainsFunc(b.Facts, func(f markdown.FactAt) bool { return f.Pinned() }) {
			return nil, []string{item.ID}
		}
		return []purge.ForgetTarget{purge.NewForgetTarget(s, item, hit)}, nil
	}
	for i, f := range b.Facts {
		hit, found := c.answer.fact(b, f)
		switch {
		case f.ID == "" || !found || !c.wants(b, f.Fact):
		case f.Pinned() || b.Entry != nil && b.Entry.Pinned:
			c.answer.count(f.ID, f.Text)
			pinned = append(pinned, f.ID)
		default:
			c.answer.count(f.ID, f.Text)
			list = append(list, purge.NewForgetTarget(s, lookup.StoredItem{StoredBlock: b, ID: f.ID, Fact: &b.Facts[i].Fact}, hit))
		}
	}
	if e := b.Entry; e != nil && e.Kind == memory.KindNote && e.ID != "" && len(list) == len(b.Facts) && len(list) > 1 {
		whole := purge.NewForgetTarget(s, lookup.StoredItem{StoredBlock: b, ID: e.ID, Fact: nil}, retrieval.Hit{}) // the note has no other facts
		whole.Score, whole.RankScore = list[0].Score, list[0].RankScore
		list = []purge.ForgetTarget{whole}
		c.answer.count(e.ID, string(b.Raw))
	}
	return list, pinned
}

// old reports whether a time is before the date. An unknown time is not.
func (c *forgetChoice) old(at time.Time) bool {
	return c.Before.IsZero() || !at.IsZero() && at.Before(c.Before)
}

func (c *forgetChoice) wants(b lookup.StoredBlock, f memory.Fact) bool {
	at := f.Created
	if at.IsZero() && b.Entry != nil {
		at = b.Entry.Time
	}
	all := c.namespace == nil || *c.namespace == memory.GlobalNamespace // global: that memory is open
	return c.old(at) && f.HasTags(c.Tags) && (c.Type == "" || f.Type == c.Type) &&
		(all || memory.NamespaceOf(f.Namespace) == *c.namespace)
}

// answer is the answer of the index to a query. A nil answer matches everything.
type answer struct {
	hits    []retrieval.Hit
	mark    func(text string) []index.Span
	matched map[string]int // by id: how many of the query's words an item has
	asked   int            // how many words the query has
}

func findAnswer(ctx context.Context, s *app.Repo, c forgetChoice) (*answer, error) {
	q := retrieval.Query{Text: c.Query, Limit: c.Limit, Filter: retrieval.Filter{Tags: c.Tags, Until: c.Before}}
	if c.Type != "" {
		q.Filter.Types = []memory.FactType{c.Type}
	}
	if c.namespace != nil && *c.namespace != memory.ProjectNamespace {
		q.Namespaces = []string{*c.namespace}
	}
	hits, degraded, err := search.Find(ctx, s, q)
	s.Degraded("forget", degraded)
	a := &answer{hits: hits, mark: highlight.NewHighlighter(c.Query, hits).Find, matched: map[string]int{}}
	a.asked = a.words(c.Query)
	return a, err
}

// count notes how many words of the query an item has.
func (a *answer) count(id, text string) {
	if a != nil {
		a.matched[id] = a.words(text)
	}
}

// best returns a function that reports which items have half of the words of the query or more, and more than half as
// many as the best one. A search also finds items with few of the words, which must not be forgotten.
func (a *answer) best() func(id string) bool {
	if a == nil {
		return func(string) bool { return true }
	}
	most := 0 // also of what is pinned and stays
	for _, n := range a.matched {
		most = max(most, n)
	}
	return func(id string) bool {
		n := a.matched[id]
		return n > 0 && 2*n >= a.asked && 2*n > most
	}
}

// entry reports whether the query found the block's entry.
func (a *answer) entry(b lookup.StoredBlock) (hit retrieval.Hit, found bool) {
	if a == nil || b.Entry == nil {
		return hit, a == nil
	}
	for _, h := range a.hits {
		if h.EntryID != "" && h.EntryID == b.Entry.ID {
			return h, true
		}
	}
	return hit, false
}

// fact reports whether the query found a fact of the block. A fact of an entry is found with its entry. A hand-written
// fact needs half of the words of a hit, and the hit must be at the fact's lines, or the fact must have been moved out
// of the hit's entry (see MovedFrom).
func (a *answer) fact(b lookup.StoredBlock, f markdown.FactAt) (hit retrieval.Hit, found bool) {
	if a == nil || b.Entry != nil {
		return a.entry(b)
	}
	for _, h := range a.hits {
		stands := (h.EntryID == "" || h.Source != "") && h.Path == b.File && f.StartLine <= h.EndLine && f.EndLine >= h.StartLine
		if (stands || fact.MovedFrom(h, f.Fact) && f.Live(time.Now())) && a.half(h, f.Text) {
			return h, true
		}
	}
	return hit, false
}

func (a *answer) half(h retrieval.Hit, text string) bool {
	n := a.words(text)
	return h.Explain != nil && n > 0 && 2*n >= len(h.Explain.Terms)
}

// words counts the distinct words of the query that a text has.
func (a *answer) words(text string) int {
	terms := map[int]bool{}
	for _, span := range a.mark(text) {
		terms[span.Term] = true
	}
	return len(terms)
}

// IsRef reports whether a text has the form of an item that Request.IDs may hold: an id, the end of one, "last"
// or a file of memory. Words do not have that form.
func IsRef(text string) bool {
	if _, file := purge.FileRef(text); file || text == "last" {
		return true
	}
	return len(text) >= lookup.MinID && strings.Trim(strings.ToLower(text), "0123456789abcdef-") == ""
}

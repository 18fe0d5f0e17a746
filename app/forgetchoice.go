package app

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"agentflow/index"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

// forgetChoice is a request that chooses among a memory's entries and facts.
type forgetChoice struct {
	ForgetRequest
	namespace *string // nil: every one
	single    bool    // single facts are chosen, not entries
	answer    *answer // to Query
}

// openToForget checks the request and opens the memory that it is about.
func (o *operation) openToForget(ctx context.Context, req ForgetRequest) (s *openMemory, c forgetChoice, err error) {
	narrows := req.Type != "" || req.Namespace != ""
	c = forgetChoice{ForgetRequest: req, single: req.Tag != "" || narrows}
	c.Limit = cmp.Or(req.Limit, 10)
	switch {
	case req.chooses() && len(req.IDs) > 0:
		err = usagef("give ids, or choose by query, tag and age: not both")
	case !req.chooses() && narrows:
		err = &Error{Kind: KindUsage, Err: errors.New("a type and a namespace narrow a choice"), Hint: "choose by query, tag or age: add --query, --tag or --before"}
	case !req.chooses() && len(req.IDs) == 0:
		err = usagef("nothing says what to forget")
	case c.Limit < 1:
		err = usagef("the limit is at least 1, have %d", c.Limit)
	case req.Type != "" && !req.Type.Known():
		err = usagef("type: %w", checkType(req.Type, time.Time{}))
	default:
		s, c.namespace, err = o.openNamespace(ctx, req.Namespace, o.openRecovered, false)
	}
	return s, c, err
}

// choose lists what is chosen, the best answers first; pinned is how much more
// is pinned and stays.
func (s *openMemory) choose(ctx context.Context, c forgetChoice) (targets []ForgetTarget, pinned int, err error) {
	if c.Query != "" {
		if c.answer, err = s.answer(ctx, c); err != nil {
			return nil, 0, err
		}
	}
	for b, err := range s.blocks() {
		if err != nil {
			s.warn("%v", err)
			continue
		}
		if b.File == feedback {
			continue
		}
		list, more := c.of(b)
		pinned += more
		for _, f := range list {
			targets = append(targets, s.forgetTarget(f.storedItem, f.score))
		}
	}
	slices.SortStableFunc(targets, func(a, b ForgetTarget) int { return cmp.Compare(b.Score, a.Score) })
	return targets, pinned, nil
}

// scored is what was chosen, and how well it answers the query.
type scored struct {
	storedItem
	score float64
}

// of is what is chosen of a block: an entry whole, or facts.
func (c *forgetChoice) of(b storedBlock) (list []scored, pinned int) {
	if b.Entry == nil || c.single {
		return c.factsOf(b)
	}
	score, found := c.answer.entry(b)
	switch {
	case !found || b.Entry.ID == "" || !c.old(b.Entry.Time):
		return nil, 0
	case b.Entry.Pinned || slices.ContainsFunc(b.Facts, func(f markdown.FactAt) bool { return f.Pinned() }):
		return nil, 1
	}
	return []scored{{storedItem{b, b.Entry.ID, nil}, score}}, 0
}

func (c *forgetChoice) factsOf(b storedBlock) (list []scored, pinned int) {
	for i, f := range b.Facts {
		score, found := c.answer.fact(b, f)
		switch {
		case f.ID == "" || !found || !c.wants(b, f.Fact):
		case f.Pinned() || b.Entry != nil && b.Entry.Pinned:
			pinned++
		default:
			list = append(list, scored{storedItem{b, f.ID, &b.Facts[i].Fact}, score})
		}
	}
	if e := b.Entry; e != nil && e.Kind == memory.KindNote && e.ID != "" && len(list) == len(b.Facts) && len(list) > 1 {
		return []scored{{storedItem{b, e.ID, nil}, list[0].score}}, pinned // the note says nothing else
	}
	return list, pinned
}

// old says whether a time is before the date; a time nobody knows is not.
func (c *forgetChoice) old(at time.Time) bool {
	return c.Before.IsZero() || !at.IsZero() && at.Before(c.Before)
}

// wants says whether a fact of the block is chosen.
func (c *forgetChoice) wants(b storedBlock, f memory.Fact) bool {
	at := f.Created
	if at.IsZero() && b.Entry != nil {
		at = b.Entry.Time
	}
	all := c.namespace == nil || *c.namespace == memory.GlobalNamespace // the memory that was opened
	return c.old(at) && (c.Tag == "" || slices.Contains(f.Tags, c.Tag)) && (c.Type == "" || f.Type == c.Type) &&
		(all || memory.NamespaceOf(f.Namespace) == *c.namespace)
}

// answer is what the index says about a query; nil, when there is none, finds
// everything.
type answer struct {
	hits []memory.Hit
	mark func(text string) []index.Span
}

// answer asks the index, through the gate that a prompt's block has.
func (s *openMemory) answer(ctx context.Context, c forgetChoice) (*answer, error) {
	q := memory.Query{Text: c.Query, Limit: c.Limit, Gate: true, Filter: memory.Filter{Tag: c.Tag, Type: c.Type, Until: c.Before}}
	if c.namespace != nil && *c.namespace != memory.ProjectNamespace {
		q.Namespaces = []string{*c.namespace}
	}
	hits, degraded, err := s.search(ctx, q)
	s.degraded("forget", degraded)
	return &answer{hits, highlighter(c.Query, hits).find}, err
}

// entry says whether the block's entry was found.
func (a *answer) entry(b storedBlock) (score float64, found bool) {
	if a == nil || b.Entry == nil {
		return 0, a == nil
	}
	for _, h := range a.hits {
		if h.EntryID != "" && h.EntryID == b.Entry.ID {
			return h.Score, true
		}
	}
	return 0, false
}

// movedFrom says whether the fact was moved out of the entry that the hit is, or
// out of that which the hit was moved out of.
func movedFrom(h memory.Hit, f memory.Fact) bool {
	return f.Source != "" && (f.Source == h.EntryID || f.Source == h.Source)
}

// fact says whether a fact of the block was found: with its entry, or, in
// hand-written text, where a hit stands or the entry that it was moved out of
// was found, with half of the words that the hit was found by.
func (a *answer) fact(b storedBlock, f markdown.FactAt) (score float64, found bool) {
	if a == nil || b.Entry != nil {
		return a.entry(b)
	}
	for _, h := range a.hits {
		stands := (h.EntryID == "" || h.Source != "") && h.Path == b.File && f.StartLine <= h.EndLine && f.EndLine >= h.StartLine
		if (stands || movedFrom(h, f.Fact) && f.Live(time.Now())) && a.half(h, f.Text) {
			return h.Score, true
		}
	}
	return 0, false
}

func (a *answer) half(h memory.Hit, text string) bool {
	terms := map[int]bool{}
	for _, span := range a.mark(text) {
		terms[span.Term] = true
	}
	return h.Explain != nil && len(terms) > 0 && 2*len(terms) >= len(h.Explain.Terms)
}

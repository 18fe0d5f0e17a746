package app

import (
	"cmp"
	"context"
	"slices"
	"time"

	"agentflow/index"
	"agentflow/memory"
	"agentflow/memory/markdown"

	"github.com/spf13/cobra"
)

// forgetQuery chooses what is to be forgotten.
type forgetQuery struct {
	query, tag, before, factType, namespace string
	limit                                   int

	until time.Time // of before; zero: any time
	ns    *string   // of namespace; nil: every one
}

func (q *forgetQuery) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&q.query, "query", "", "what memory has to say about this `task`")
	flags.StringVar(&q.tag, "tag", "", "facts with this `tag`")
	flags.StringVar(&q.before, "before", "", "what is older than this `date` (2026-11-21, or 180d)")
	flags.StringVar(&q.factType, "type", "", "only facts of this `type`: semantic, episodic or procedural")
	flags.StringVar(&q.namespace, "namespace", "", "only facts of this `namespace`: project, branch (the current one), branch/NAME, run/ID or global")
	flags.IntVarP(&q.limit, "limit", "n", 10, "of --query, at most this many hits")
	complete(cmd, "type", FactTypes...)
	completeNamespace(cmd)
}

func (q *forgetQuery) chooses() bool { return q.query != "" || q.tag != "" || q.before != "" }
func (q *forgetQuery) narrows() bool { return q.factType != "" || q.namespace != "" }

// ofFacts says whether single facts are chosen, and not entries.
func (q *forgetQuery) ofFacts() bool { return q.tag != "" || q.narrows() }

// forgettingSite opens the memory to choose from, and completes the query.
func (a *operation) forgettingSite(ctx context.Context, q *forgetQuery) (s *site, err error) {
	if err := oneOf("type", q.factType, FactTypes...); err != nil {
		return nil, err
	}
	if q.limit < 1 {
		return nil, usagef("--limit is at least 1")
	}
	if q.until, err = parseWhen("before", q.before, time.Now()); err != nil {
		return nil, err
	}
	if q.ns, err = namespaceFlag(q.namespace); err != nil {
		return nil, err
	}
	if q.ns != nil && *q.ns == memory.GlobalNamespace {
		return a.globalMemory(ctx)
	}
	if s, err = a.site(ctx); err == nil && q.ns != nil {
		*q.ns, err = s.completed(ctx, *q.ns)
	}
	return s, err
}

// choose lists what the query chooses; pinned is how much more is pinned and
// stays.
func (s *site) choose(ctx context.Context, q forgetQuery) (targets []target, pinned int, err error) {
	var asked *answer
	if q.query != "" {
		if asked, err = s.answer(ctx, q); err != nil {
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
		list, kept := q.of(b, asked)
		pinned += kept
		for _, t := range list {
			t.home = s
			targets = append(targets, t)
		}
	}
	slices.SortStableFunc(targets, func(a, b target) int { return cmp.Compare(b.score, a.score) })
	return targets, pinned, nil
}

// of is what the query chooses of a block: an entry whole, or facts.
func (q *forgetQuery) of(b storedBlock, asked *answer) (list []target, pinned int) {
	score, found := asked.entry(b)
	if b.Entry == nil || q.ofFacts() {
		return q.factsOf(b, asked)
	}
	if !found || b.Entry.ID == "" || !q.old(b.Entry.Time) {
		return nil, 0
	}
	if b.Entry.Pinned || slices.ContainsFunc(b.Facts, func(f markdown.FactAt) bool { return f.Pinned() }) {
		return nil, 1
	}
	return []target{b.target(nil, score)}, 0
}

func (q *forgetQuery) factsOf(b storedBlock, asked *answer) (list []target, pinned int) {
	for i, f := range b.Facts {
		score, found := asked.fact(b, f)
		switch {
		case f.ID == "" || !found || !q.wants(b, f.Fact):
		case f.Pinned() || b.Entry != nil && b.Entry.Pinned:
			pinned++
		default:
			list = append(list, b.target(&b.Facts[i].Fact, score))
		}
	}
	if e := b.Entry; e != nil && e.Kind == memory.KindNote && e.ID != "" && len(list) == len(b.Facts) && len(list) > 1 {
		return []target{b.target(nil, list[0].score)}, pinned // it says nothing else
	}
	return list, pinned
}

// target is the block's entry, or a fact in it, to be forgotten.
func (b storedBlock) target(f *memory.Fact, score float64) target {
	if f == nil {
		return target{storedItem: storedItem{storedBlock: b, ID: b.Entry.ID}, score: score}
	}
	return target{storedItem: storedItem{storedBlock: b, ID: f.ID, Fact: f}, score: score}
}

// old says whether a time is before the date; a time nobody knows is not.
func (q *forgetQuery) old(at time.Time) bool {
	return q.until.IsZero() || !at.IsZero() && at.Before(q.until)
}

// wants says whether the query chooses a fact of the block.
func (q *forgetQuery) wants(b storedBlock, f memory.Fact) bool {
	at := f.Created
	if at.IsZero() && b.Entry != nil {
		at = b.Entry.Time
	}
	all := q.ns == nil || *q.ns == memory.GlobalNamespace // the memory that was opened
	return q.old(at) && (q.tag == "" || slices.Contains(f.Tags, q.tag)) && (q.factType == "" || f.Type == memory.FactType(q.factType)) &&
		(all || memory.NamespaceOf(f.Namespace) == *q.ns)
}

// answer is what the index says about --query; nil, when that was not given,
// finds everything.
type answer struct {
	hits []memory.Hit
	mark func(text string) []index.Span
}

// answer asks the index, through the gate that a prompt's block has.
func (s *site) answer(ctx context.Context, q forgetQuery) (*answer, error) {
	question := memory.Query{Text: q.query, Limit: q.limit, Gate: true,
		Filter: memory.Filter{Tag: q.tag, Type: memory.FactType(q.factType), Until: q.until}}
	if q.ns != nil && *q.ns != memory.ProjectNamespace {
		question.Namespaces = []string{*q.ns}
	}
	hits, degraded, err := s.search(ctx, question)
	s.degraded("forget", degraded)
	return &answer{hits, highlighter(q.query, hits).find}, err
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

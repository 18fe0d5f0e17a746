package app

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"agentflow/index"
	"agentflow/memory"
	"agentflow/memory/digest"
	"agentflow/memory/markdown"
)

type forgetChoice struct {
	ForgetRequest
	namespace *string // nil: all namespaces
	single    bool    // facts are chosen, not entries
	answer    *answer // the answer to Query
}

func openToForget(ctx context.Context, o *operation, req ForgetRequest) (s *openMemory, c forgetChoice, err error) {
	c = forgetChoice{ForgetRequest: req, single: len(req.Tags) > 0 || req.Type != "" || req.Namespace != ""}
	c.Limit = cmp.Or(req.Limit, 10)
	switch {
	case req.chooses() && len(req.IDs) > 0:
		err = usagef("give ids, or choose by query, tag, age and namespace: not both")
	case !req.chooses() && req.Type != "":
		err = &Error{Kind: KindUsage, Err: errors.New("a type narrows a choice"), Hint: "choose by query, tag, age or namespace: add --query, --tag, --before or --namespace"}
	case !req.chooses() && len(req.IDs) == 0:
		err = usagef("nothing says what to forget")
	case c.Limit < 1:
		err = usagef("the limit is at least 1, have %d", c.Limit)
	case req.Type != "" && !req.Type.Known():
		err = usagef("type: %w", checkType(req.Type, time.Time{}))
	default:
		s, c.namespace, err = openNamespace(ctx, o, req.Namespace, o.openRecovered, false)
	}
	return s, c, err
}

// choose lists the chosen items, best answers first. pinned counts the pinned items that also match and stay.
func choose(ctx context.Context, s *openMemory, c forgetChoice) (targets []ForgetTarget, pinned int, err error) {
	if c.Query != "" {
		if c.answer, err = findAnswer(ctx, s, c); err != nil {
			return nil, 0, err
		}
	}
	for b := range readableBlocks(s) {
		if b.File != feedback {
			list, more := chosenOf(s, b, c)
			targets, pinned = append(targets, list...), pinned+more
		}
	}
	slices.SortStableFunc(targets, func(a, b ForgetTarget) int { return cmp.Compare(b.RankScore, a.RankScore) })
	return targets, pinned, nil
}

// chosenOf returns the chosen items of a block: the whole entry, or facts.
func chosenOf(s *openMemory, b storedBlock, c forgetChoice) (list []ForgetTarget, pinned int) {
	if b.Entry != nil && !c.single {
		hit, found := c.answer.entry(b)
		switch {
		case !found || b.Entry.ID == "" || !c.old(b.Entry.Time):
			return nil, 0
		case b.Entry.Pinned || slices.ContainsFunc(b.Facts, func(f markdown.FactAt) bool { return f.Pinned() }):
			return nil, 1
		}
		return []ForgetTarget{forgetTarget(s, storedItem{b, b.Entry.ID, nil}, hit)}, 0
	}
	for i, f := range b.Facts {
		hit, found := c.answer.fact(b, f)
		switch {
		case f.ID == "" || !found || !c.wants(b, f.Fact):
		case f.Pinned() || b.Entry != nil && b.Entry.Pinned:
			pinned++
		default:
			list = append(list, forgetTarget(s, storedItem{b, f.ID, &b.Facts[i].Fact}, hit))
		}
	}
	if e := b.Entry; e != nil && e.Kind == memory.KindNote && e.ID != "" && len(list) == len(b.Facts) && len(list) > 1 {
		whole := forgetTarget(s, storedItem{b, e.ID, nil}, memory.Hit{}) // the note has no other facts
		whole.Score, whole.RankScore = list[0].Score, list[0].RankScore
		list = []ForgetTarget{whole}
	}
	return list, pinned
}

// old reports whether a time is before the date. An unknown time is not.
func (c *forgetChoice) old(at time.Time) bool {
	return c.Before.IsZero() || !at.IsZero() && at.Before(c.Before)
}

func (c *forgetChoice) wants(b storedBlock, f memory.Fact) bool {
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
	hits []memory.Hit
	mark func(text string) []index.Span
}

func findAnswer(ctx context.Context, s *openMemory, c forgetChoice) (*answer, error) {
	q := memory.Query{Text: c.Query, Limit: c.Limit, Gate: true, Filter: memory.Filter{Tags: c.Tags, Until: c.Before}}
	if c.Type != "" {
		q.Filter.Types = []memory.FactType{c.Type}
	}
	if c.namespace != nil && *c.namespace != memory.ProjectNamespace {
		q.Namespaces = []string{*c.namespace}
	}
	hits, degraded, err := search(ctx, s, q)
	s.degraded("forget", degraded)
	return &answer{hits, highlighter(c.Query, hits).find}, err
}

// entry reports whether the query found the block's entry.
func (a *answer) entry(b storedBlock) (hit memory.Hit, found bool) {
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

// movedFrom reports whether the fact was moved out of the hit's entry, or out of the entry that the hit was moved out
// of.
func movedFrom(h memory.Hit, f memory.Fact) bool {
	return f.Source != "" && (f.Source == h.EntryID || f.Source == h.Source)
}

// fact reports whether the query found a fact of the block. A fact of an entry is found with its entry. A hand-written
// fact needs half of the words of a hit, and the hit must be at the fact's lines, or the fact must have been moved out
// of the hit's entry (see movedFrom).
func (a *answer) fact(b storedBlock, f markdown.FactAt) (hit memory.Hit, found bool) {
	if a == nil || b.Entry != nil {
		return a.entry(b)
	}
	for _, h := range a.hits {
		stands := (h.EntryID == "" || h.Source != "") && h.Path == b.File && f.StartLine <= h.EndLine && f.EndLine >= h.StartLine
		if (stands || movedFrom(h, f.Fact) && f.Live(time.Now())) && a.half(h, f.Text) {
			return h, true
		}
	}
	return hit, false
}

func (a *answer) half(h memory.Hit, text string) bool {
	terms := map[int]bool{}
	for _, span := range a.mark(text) {
		terms[span.Term] = true
	}
	return h.Explain != nil && len(terms) > 0 && 2*len(terms) >= len(h.Explain.Terms)
}

func parseAll(files map[string][]byte) map[string]*markdown.Document {
	docs := map[string]*markdown.Document{}
	for name, content := range files {
		docs[name] = markdown.Parse(content)
	}
	return docs
}

// mostSought is the largest number of ids that files are searched for. Above it, parsing all files is faster.
const mostSought = 16

// parseAbout parses the files that hold one of the ids, or an id that belongs to the same fact as one of those.
func parseAbout(files map[string][]byte, ids []string) map[string]*markdown.Document {
	docs := map[string]*markdown.Document{}
	sought := slices.Clone(ids)
	for done := 0; done < len(sought); {
		if len(sought) > mostSought || slices.ContainsFunc(sought, func(id string) bool { return !plainID(id) }) {
			return parseAll(files)
		}
		fresh := sought[done:]
		done = len(sought)
		for name, content := range files {
			if docs[name] == nil && slices.ContainsFunc(fresh, func(id string) bool { return bytes.Contains(content, []byte(id)) }) {
				docs[name] = markdown.Parse(content)
			}
		}
		for f := range factsOf(docs) {
			sought = withRelated(sought, f)
		}
	}
	return docs
}

// filesAbout returns a function that reports whether parseAbout needs a file, by its name in the memory folder.
func filesAbout(ctx context.Context, s *openMemory, ids []string) func(name string) bool {
	sought := slices.Clone(ids)
	for done := 0; done < len(sought); {
		if len(sought) > mostSought || slices.ContainsFunc(sought, func(id string) bool { return !plainID(id) }) {
			return func(string) bool { return true }
		}
		fresh := mapped(sought[done:], digest.ByID)
		done = len(sought)
		for b := range mentioning(ctx, s, fresh...) {
			for _, f := range b.Facts {
				sought = withRelated(sought, f.Fact)
			}
		}
	}
	return holding(ctx, s, mapped(sought, digest.ByID)...)
}

// withRelated adds the ids of a fact to ids if the fact has one of them.
func withRelated(ids []string, f memory.Fact) []string {
	if !slices.ContainsFunc(f.IDs(), func(id string) bool { return slices.Contains(ids, id) }) {
		return ids
	}
	return append(ids, slices.DeleteFunc(f.IDs(), func(id string) bool { return slices.Contains(ids, id) })...)
}

// IsRef reports whether a text has the form of an item that ForgetRequest.IDs may hold: an id, the end of one, "last"
// or a file of memory. Words do not have that form.
func IsRef(text string) bool {
	if _, file := fileRef(text); file || text == "last" {
		return true
	}
	return len(text) >= minID && strings.Trim(strings.ToLower(text), "0123456789abcdef-") == ""
}

// plainID reports whether files hold an id unescaped. Comments escape other characters.
func plainID(id string) bool {
	return strings.Trim(id, "0123456789abcdefghijklmnopqrstuvwxyz-") == "" && !strings.Contains(id, "--")
}

func factsOf(docs map[string]*markdown.Document) iter.Seq[memory.Fact] {
	return func(yield func(memory.Fact) bool) {
		for _, d := range docs {
			for _, b := range d.Blocks {
				for _, f := range b.Facts {
					if !yield(f.Fact) {
						return
					}
				}
			}
		}
	}
}

// memoryIDs returns the ids in the documents, including those of merged facts.
func memoryIDs(docs map[string]*markdown.Document) map[string]bool {
	ids := map[string]bool{}
	for _, d := range docs {
		for _, id := range d.IDs() {
			ids[id] = true
		}
	}
	return ids
}

// planRemoval plans the edits that remove the ids. standing lists those of the ids that memory holds. merged lists the
// other ids that were merged into the removed facts, and that memory no longer holds afterwards.
func planRemoval(files map[string][]byte, docs map[string]*markdown.Document, ids []string) (edits []memory.FileEdit, standing, merged []string) {
	gone := withHolders(docs, ids)
	after := maps.Clone(docs)
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		if rest, ok := docs[name].RemoveAll(func(id string) bool { return gone[id] }); ok {
			edits = append(edits, memory.FileEdit{File: name, Before: files[name], After: filled(rest)})
			after[name] = markdown.Parse(rest)
		}
	}
	before, left := memoryIDs(docs), memoryIDs(after)
	for _, id := range ids {
		if before[id] {
			standing = append(standing, id)
		}
	}
	for f := range factsOf(docs) {
		for _, id := range f.IDs() {
			if gone[f.ID] && !left[id] && !slices.Contains(ids, id) {
				merged = append(merged, id)
			}
		}
	}
	slices.SortFunc(merged, strings.Compare)
	return edits, standing, slices.Compact(merged)
}

// withHolders returns the ids, and the ids of the facts that an id was merged into if no fact has that id any more.
func withHolders(docs map[string]*markdown.Document, ids []string) map[string]bool {
	gone, factIDs := map[string]bool{}, map[string]bool{}
	for f := range factsOf(docs) {
		factIDs[f.ID] = true
	}
	for _, id := range ids {
		gone[id] = true
	}
	for f := range factsOf(docs) {
		if slices.ContainsFunc(f.IDs(), func(id string) bool { return slices.Contains(ids, id) && !factIDs[id] }) {
			gone[f.ID] = true
		}
	}
	return gone
}

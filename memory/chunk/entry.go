package chunk

import (
	"slices"
	"sort"
	"strings"

	"agentflow/memory"
	"agentflow/memory/internal/outline"
	"agentflow/memory/markdown"
)

// entry adds the chunks of the current block's entry.
func (c *chunker) entry() {
	e := *c.block.Entry
	if len(c.facts) < len(c.block.Facts) {
		e.Facts = nil
		for _, f := range c.facts {
			e.Facts = append(e.Facts, f.Fact)
		}
	}
	base := Chunk{
		EntryID: e.ID, Kind: e.Kind, Date: e.Time, Branch: e.Branch, Paths: paths(e), Title: e.Title, Heading: markdown.EntryHeading(e),
		Undone: e.IsUndone(), Idle: e.Idle(),
	}
	for _, k := range e.Commits {
		base.Commits = append(base.Commits, k.ID)
	}
	like := base
	base.takeFacts(c.facts, c.file)
	base.Pinned = base.Pinned || e.Pinned
	base.ByTool = e.Kind == memory.KindNote && !e.Pinned && e.Extra == "" && len(c.facts) > 0 && !slices.ContainsFunc(c.facts, func(f markdown.FactAt) bool { return !f.ByTool() })
	if e.Kind == memory.KindNote && len(c.facts) > 0 && !slices.ContainsFunc(c.facts, func(f markdown.FactAt) bool { return f.Person != c.facts[0].Person }) {
		base.Person = c.facts[0].Person
	}
	c.addApart(like, c.entryText(e, base), c.block.EndLine+1)
}

// entryText adds the chunks of the entry's text, and returns their number.
func (c *chunker) entryText(e memory.Entry, base Chunk) int {
	if memory.Tokens(c.l.Src) <= c.max {
		base.Title, base.Body, base.Files = Projection(e)
		if base.Title+base.Body+base.Files == "" && len(c.facts) < len(c.block.Facts) {
			return 0 // it held only facts that are in separate chunks
		}
		c.add(base, span{0, len(c.l.Src)})
		return 1
	}
	passages := markdown.Passages(c.l)
	c.o = outline.OfEntry(c.l)
	ordinal := 0
	for _, s := range c.spans(0, c.l.Count()) {
		k := base
		var section string
		k.Body, k.Files, section = c.project(passages, s)
		if section != "" {
			k.Heading += headingSep + section
		}
		k.Ordinal = ordinal
		if c.add(k, s) {
			ordinal++
		}
	}
	return ordinal
}

// project returns the searchable parts of a piece of an entry: its text, its paths, and the section
// it begins in.
func (c *chunker) project(list []markdown.Passage, s span) (body, files, section string) {
	first, last := lineOf(c.l, s.from), lineOf(c.l, s.to-1)
	list = list[sort.Search(len(list), func(i int) bool { return list[i].End > first }):]
	var text, paths []string
	for n, p := range list {
		if p.Start > last {
			break
		}
		if n == 0 {
			section = p.Section
		}
		paths = append(paths, p.Paths()...)
		if p.Searched() {
			text = append(text, c.within(p, s))
		}
	}
	return joinText(text), strings.Join(paths, "\n"), section
}

// within returns the part of a passage's text that is in the span.
func (c *chunker) within(p markdown.Passage, s span) string {
	if s.from <= c.l.Start[p.Start] && c.l.Start[p.End] <= s.to {
		return p.Text
	}
	var parts []string
	for i := p.Start; i < p.End; i++ {
		from, to := max(s.from, c.l.Start[i]), min(s.to, c.l.Start[i+1])
		if from < to {
			parts = append(parts, markdown.PlainLine(c.l.Src[from:to], from == c.l.Start[i]))
		}
	}
	return joinText(parts)
}

package consolidate

import (
	"slices"

	"agentflow/memory/markdown"
)

// misread names the files that would not hold the ids they have to hold after
// the change: odd Markdown, such as a code fence that somebody left open, can
// swallow what comes near it.
func (p *plan) misread(after map[string][]byte) []string {
	var bad []string
	for name, text := range after {
		have := markdown.Parse(text).IDs()
		want := p.expected(name)
		slices.Sort(have)
		slices.Sort(want)
		if !slices.Equal(have, want) {
			bad = append(bad, name)
		}
	}
	slices.Sort(bad)
	return bad
}

// expected are the ids that a file has to hold after the round.
func (p *plan) expected(name string) []string {
	var ids []string
	doc := p.doc(name)
	for i := range doc.Blocks {
		b := &doc.Blocks[i]
		if _, double := p.doubles[b]; double {
			continue
		}
		if b.Entry != nil && b.Entry.ID != "" && !p.emptied(b) {
			ids = append(ids, b.Entry.ID)
		}
		for k := range b.Facts {
			f := p.at[spot{b, k}]
			switch {
			case f == nil:
				ids = append(ids, b.Facts[k].IDs()...)
			case f.stands() && f.to == "":
				ids = append(ids, f.IDs()...)
			}
		}
	}
	for _, f := range p.facts {
		if f.to == name {
			ids = append(ids, f.IDs()...)
		}
	}
	return ids
}

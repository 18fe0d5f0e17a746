package consolidate

import (
	"bytes"
	"slices"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// render returns the new contents of the files that the round changes.
func (p *plan) render() map[string][]byte {
	after := map[string][]byte{}
	for name := range p.touched() {
		after[name] = p.revised(name)
	}
	if p.gains(memory.LastingFile) {
		after[memory.LastingFile] = p.memoryText()
	}
	if p.gains(memory.FadedFile) {
		after[memory.FadedFile] = p.factsText()
	}
	return after
}

func (p *plan) touched() map[string]bool {
	names := map[string]bool{}
	for _, f := range p.at {
		if f.revision != markdown.Stays || f.to != "" {
			names[f.file] = true
		}
	}
	for at := range p.doubles {
		names[at.file] = true
	}
	return names
}

func (p *plan) gains(name string) bool {
	return slices.ContainsFunc(p.facts, func(f *fact) bool { return f.to == name })
}

// revised returns a file with its changed facts, and without those that are removed.
func (p *plan) revised(name string) []byte {
	text := []byte{} // nil would mean that the file is removed
	notes := false
	doc := p.folder.doc(name)
	for i := range doc.Blocks {
		b := &doc.Blocks[i]
		if p.doubles[block{name, i}] || p.emptied(b, name, i) {
			_, rest := b.Own()
			text, notes = append(text, rest...), notes || b.IsNote()
			continue
		}
		next := place{name, i, 0}
		text = append(text, b.Revise(func(*markdown.FactAt) (markdown.Revision, memory.Fact) {
			f := p.at[next]
			next.nth++
			switch {
			case f == nil:
				return markdown.Stays, memory.Fact{}
			case f.to != "":
				return markdown.Goes, memory.Fact{}
			}
			return f.revision, f.Fact
		})...)
	}
	if notes {
		return markdown.WithoutEmptyNotes(text)
	}
	return text
}

// emptied reports whether a note would be empty: it has only facts, and all of them are
// removed.
func (p *plan) emptied(b *markdown.Block, name string, nth int) bool {
	if b.Entry == nil || b.Entry.Kind != memory.KindNote || len(b.Facts) == 0 {
		return false
	}
	for k := range b.Facts {
		if f := p.at[place{name, nth, k}]; f == nil || f.remains() && f.to == "" {
			return false
		}
	}
	if b.IsNote() {
		return true
	}
	raw := bytes.ReplaceAll(b.Raw, []byte("\r\n"), []byte("\n"))
	return bytes.Equal(bytes.TrimSpace(raw), bytes.TrimSpace(b.Formatted()))
}

// misread returns the files that would not have the expected ids after the change. Unusual
// Markdown, such as a code fence without an end, can swallow the text next to it.
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

// expected returns the ids that a file must have after the round.
func (p *plan) expected(name string) []string {
	var ids []string
	doc := p.folder.doc(name)
	for i := range doc.Blocks {
		b := &doc.Blocks[i]
		if p.doubles[block{name, i}] {
			continue
		}
		if b.Entry != nil && b.Entry.ID != "" && !p.emptied(b, name, i) {
			ids = append(ids, b.Entry.ID)
		}
		for k := range b.Facts {
			f := p.at[place{name, i, k}]
			switch {
			case f == nil:
				ids = append(ids, b.Facts[k].IDs()...)
			case f.remains() && f.to == "":
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

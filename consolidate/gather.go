package consolidate

import (
	"bytes"
	"slices"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// gather lists the facts that rules may touch, in the order they stand. A
// bullet without an id is a person's own text.
func (p *plan) gather() {
	p.facts, p.roundActions, p.left, p.retired, p.possible = nil, nil, nil, nil, nil
	p.at, p.doubles = map[*markdown.FactAt]*fact{}, map[*markdown.Block]string{}
	byID := map[string][]*fact{}
	entries := map[string]*markdown.Block{}
	for _, name := range p.names() {
		doc := p.doc(name)
		for i := range doc.Blocks {
			b := &doc.Blocks[i]
			if p.double(b, entries) && !p.untouched[name] {
				p.doubles[b] = name
				p.addAction(Action{Kind: Doubled, ID: b.Entry.ID, File: name, Text: oneLine(b.Entry.Title), Reason: "the same entry stands in another place"})
				continue
			}
			for k := range b.Facts {
				at := &b.Facts[k]
				f := &fact{Fact: at.Fact, file: name, block: b, at: at}
				f.Namespace = memory.NamespaceOf(f.Namespace)
				f.byTool, f.closed = f.owned().ByTool(), !f.owned().OpenToAgents() || name == memory.LastingFile
				if f.ID != "" {
					byID[f.ID] = append(byID[f.ID], f)
					p.facts = append(p.facts, f)
				}
			}
		}
	}
	p.leaveOut(byID)
}

func (p *plan) double(b *markdown.Block, seen map[string]*markdown.Block) bool {
	if b.Entry == nil || b.Entry.ID == "" {
		return false
	}
	first, ok := seen[b.Entry.ID]
	if !ok {
		seen[b.Entry.ID] = b
		return false
	}
	return bytes.Equal(bytes.TrimSpace(first.Raw), bytes.TrimSpace(b.Raw))
}

// leaveOut leaves out facts that no rule may touch, and the second copies of an
// id.
func (p *plan) leaveOut(byID map[string][]*fact) {
	stays := map[string]*fact{} // of those with one id; nil where their texts differ
	for id, same := range byID {
		if p.oneText(same) {
			stays[id] = preferred(same)
		}
	}
	rest := p.facts[:0]
	for _, f := range p.facts {
		switch stays := stays[f.ID]; {
		case p.untouched[f.file] || p.Forgotten != nil && p.Forgotten(f.ID):
			continue
		case stays == nil:
			if byID[f.ID][0] == f {
				p.noteLeft(Action{ID: f.ID, File: f.file, Text: f.line(), Reason: "its id stands at facts with different texts"})
			}
			continue
		case stays != f:
			p.at[f.at] = f
			stays.absorb(f)
			p.act(Doubled, f, "its id stands twice, with the same text").Into = f.ID
			continue
		}
		p.at[f.at] = f
		f.form = p.form(f.Text)
		f.old = f.lastSaid().Before(p.Since)
		rest = append(rest, f)
	}
	p.facts = rest
}

func (p *plan) oneText(list []*fact) bool {
	first := list[0]
	return !slices.ContainsFunc(list[1:], func(f *fact) bool {
		return f.Struck != first.Struck || f.Namespace != first.Namespace || f.Key != first.Key || p.form(f.Text) != p.form(first.Text)
	})
}
